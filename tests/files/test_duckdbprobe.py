"""Damaged DuckDB files: they cost a process of their own, whoever opens them."""

from __future__ import annotations

import base64
import lzma
from typing import TYPE_CHECKING

import pytest

from detemplate.errors import UserError
from detemplate.io.sources.open import open_sources
from detemplate.links.crawl import Crawl
from detemplate.relations.duck import DuckEngine

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HANGS = (
    "T>t<81poj4|NsC0{{Rmg(DS$YerV?oY_eBsv0DH{ngk@h`drwW@l^ovRKJcM&Hu?fH&<_yO;cRMYK804*e(_Km*(NJQ^ozSV"
    "Xe!RIKl=7m=`Wn;ci`8Uv=$w66d85V46@7Rb!EbhTylbcb;MQrU&OR2!vT>v@Itj1CqTH8I@Yk=C&ECZK66`y1+;)RsdD+3R"
    "wRfC8LKueiBDT+CrsSBg`6gjSu|JP3{$y@m+zwtdpJ+y_h(jki||ZZp#kw@m$5$^>F^A-mzO^lwz$EpLB&I3qHSX95Q?z&bk"
    "5`I0bF>YNA>d?7LP)K{h!Q62+o{muwaEr$NA$4A2e0C?lBO`n8tqJujrG(HQS1=PeWdTJCeV+<aIk(yPx@3r;s3%sdR{4Zpg"
    "ed|pn8;=n*tjuT`Mz6d6NyGdw2tFgkwo&qH5c<r}HGUed(D+Ihc^uz8@cW*Yf0b6F3LOcmccu-GX8i1T{jviv3G7leVhj(au"
    "0t+P^r<KIEn<!@}Dw$`tobdqTki1f{u<IQH`NbM_%WfnW<DAo<yY{AI=(vDJlnazW&l*ZIB<j<7*e3IwZpk~8<V%E;Zk_$h6"
    "!Dav<zKbSa*b{LDFk}aHx*M0rExxWj$&o;Y5usCFTdN_?9aJQIm#{zIz<9<$z%0z4nBOc!>ls7Z}UgPl(4tn*%u-SRqMEWUt"
    "bgV&C?%GL&ZBZd6tvMVF8l2BqEUP1e~LQQyc@)X!5Exu+U<#6~HAErv7?d#e--6_Lm@0FOF;_V1ig;=_CbERt*!^cHka1BrM"
    "p)40`6*dsJm@J=n-a6o;?KNsxwywW1xaG8d!}p=lI@lnXJi-!3=aY~z@#Zc>1J-z{odkNUh;&`(yEqc@6^PU-as?GFwczfx6"
    "p3K<4L=7>nAD=xa%Y8ggkl#kNJg~?{R959+h7IZz_$qBHOqo{Td8vMv}0(1K*_2;cKwzqiUZAk3eQh`dhG<nAlGgTF~eu{|V"
    "AiG&7DBsg}^*9nI-1`dQ;yFl3S@%4N4sI}G&2<1pk(QKm0oW?pr@FXv8pv0_keo8t?~U=#$e;0qNiml8Pi<5-o{o*|UikwBy"
    "jJF)jhuNjJ0MtMK`9Z@=@kMLrt>6ppf&)EJ@|{cd_Bdn*`Rn?UX}?D@k0ho@k0qusL*C{WlyP=>*hJx0_&b#CO*B@i#|h{b5"
    "m{A-8XtzBMMoOVFKy7tIVB4>Th{_&71H?T(+m%Gow6mDm7U7wp632UZj~)X2vv=GMAqvL)9X^k6Zq0zu63exV^~Z584-~Vxk"
    "UrY80`fw%X!|2T^n&KkjlGR$M}Cc&+@J2)CN3xKt3J+ks*k3Cv~0YoB)f{|4<6-aFk<^WX`TyFM&R_g_Xv+cGliY$aOQ<(?d"
    "n7r;2Nlh{SBp^Vaz*)}p(0~ecKS$%RQz<IyvZg%#}Thqc^^-*bNBAAEN7o1D2L82@-t>r>9;~zdx>Zu{3cFtNUGYaWF=O8;l"
    "a!C$y0S-~&_jRFrzp51f_IigB"
)
"""A damaged DuckDB file whose checksums fit, packed: DuckDB 1 loops while it opens it. The fuzzer has found it."""


def attach(path: str) -> None:
    engine = DuckEngine()
    try:
        engine.source("pages", path)
    finally:
        engine.close()


@pytest.mark.parametrize("opened", [lambda path: open_sources([path]), attach, Crawl.open])
def test_a_file_on_which_duckdb_hangs_is_refused(
    opened: Callable[[str], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("detemplate.files.duckdbprobe.SECONDS", 3)
    path = tmp_path / "x.duckdb"
    path.write_bytes(lzma.decompress(base64.b85decode(HANGS)))
    with pytest.raises(UserError, match="does not come to an end within 3 seconds; the file is damaged"):
        opened(str(path))


@pytest.mark.parametrize("opened", [attach, Crawl.open])
def test_a_file_on_which_duckdb_crashes_is_refused(
    opened: Callable[[str], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("detemplate.files.duckdbprobe._OPEN", "import os; os.abort()")
    path = tmp_path / "x.duckdb"
    path.write_bytes(b"")
    with pytest.raises(UserError, match="DuckDB crashes on it; the file is damaged"):
        opened(str(path))
