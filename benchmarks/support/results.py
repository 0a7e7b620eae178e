"""The file that keeps the scores of slow peers, page by page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from detemplate.errors import UserError
from lab.labelled.measure import SetScores

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from lab.peers.runner import Peer

_DIGITS: Final = 4  # decimals of a kept score


class PeerResults:
    """The scores of peers on every page, by set and by name and version, kept in a JSON file between runs.

    Scores are rounded to four decimals. When the pages of a set change, all kept scores on it are dropped.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._sets: dict[str, dict[str, Any]] = {}
        if path.exists():
            try:
                self._sets = json.loads(path.read_text(encoding="utf-8"))
                for record in self._sets.values():
                    _check(record)
            except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
                message = f"{path} has no peers' results; delete it to measure them again"
                raise UserError(message) from error

    def get(self, label: str, set_name: str) -> SetScores | None:
        """Look up the scores of a peer on a set."""
        record = self._sets.get(set_name, {"peers": {}})
        found = record["peers"].get(label)
        if found is None:
            return None
        return SetScores(
            list(record["types"]),
            list(record["sites"]),
            {name: list(values) for name, values in found["scores"].items()},
            found["crashed"],
            found["timed_out"],
        )

    def newest(self, name: str) -> str | None:
        """Return the label of the newest version of a peer that has scores; None if it has none."""
        labels = {label for record in self._sets.values() for label in record["peers"]}
        versions = [label for label in labels if label.rpartition(" ")[0] == name]
        return max(versions, key=_version, default=None)

    def put(self, label: str, set_name: str, scores: SetScores) -> None:
        """Keep the scores of a peer on a set, and write the file."""
        record = self._sets.get(set_name)
        if record is None or (record["types"], record["sites"]) != (scores.types, scores.sites):
            record = {"types": scores.types, "sites": scores.sites, "peers": {}}
            self._sets[set_name] = record
        record["peers"][label] = {
            "crashed": scores.crashed,
            "timed_out": scores.timed_out,
            "scores": {
                name: [None if value is None else round(value, _DIGITS) for value in values]
                for name, values in scores.columns.items()
            },
        }
        self._write()

    def _write(self) -> None:
        # One line for each peer and set: measuring one peer again changes its lines only.
        def compact(value: object) -> str:
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

        sets = []
        for name, record in sorted(self._sets.items()):
            peers = ",\n".join(
                f"  {compact(label)}: {compact(found)}" for label, found in sorted(record["peers"].items())
            )
            sets.append(
                f' {compact(name)}: {{"types": {compact(record["types"])},\n'
                f'  "sites": {compact(record["sites"])},\n  "peers": {{\n{peers}\n }}}}'
            )
        self.path.parent.mkdir(parents=True, exist_ok=True)
        temporary = self.path.with_suffix(".tmp")
        temporary.write_text("{\n" + ",\n".join(sets) + "\n}\n", encoding="utf-8")
        temporary.replace(self.path)


def _version(label: str) -> list[tuple[int, str]]:
    """Order the labels of a peer by its versions."""
    return [(int(part) if part.isdecimal() else -1, part) for part in label.rpartition(" ")[2].split(".")]


def labelled_peers(peers: Sequence[Peer], results: PeerResults, *, kept: bool) -> dict[str, Peer]:
    """Name peers with their versions: the installed ones, or the newest whose scores are kept."""
    if not kept:
        return {peer.label: peer for peer in peers}
    labels = [(results.newest(peer.name), peer) for peer in peers]
    return {label: peer for label, peer in labels if label is not None}


def peer_scores(
    results: PeerResults,
    place: tuple[str, str],
    options: argparse.Namespace,
    measure: Callable[[], SetScores],
    *current: list[str],
    keep: bool = True,
) -> SetScores | None:
    """Return a peer's kept scores, or measure it; None where only kept ones are wanted and there are none."""
    kept = results.get(*place)
    if kept is not None and current and (kept.types, kept.sites) != current:
        kept = None
    if options.kept_peers or (kept is not None and not options.fresh_peers):
        return kept
    scores = measure()
    if keep:
        results.put(*place, scores)
    return scores


def _check(record: dict[str, Any]) -> None:
    pages = len(record["types"])
    columns = [values for found in record["peers"].values() for values in found["scores"].values()]
    if any(len(values) != pages for values in (record["sites"], *columns)):
        message = "lists of unequal length"
        raise ValueError(message)
