"""Reads days from text: ISO 8601, timestamps, and days as people write them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

# Names of the twelve months, and what is written for short; the forms that stand in days.
_NAMES: Final = (
    "january jan januar januari janvier janv enero ene gennaio gen janeiro jänner jaenner tammikuu "
    "tammikuuta styczeń stycznia sty leden ledna január januára ianuarie ocak oca январь января янв січень "
    "січня януари ιανουάριος ιανουαρίου ιαν gener januara januarja siječnja sausio janvāris jaanuar يناير "
    "ינואר",
    "february feb februar februari février févr fév fevrier febrero febbraio fevereiro fev feber helmikuu "
    "helmikuuta luty lutego lut únor února február februára febr februarie şubat şub февраль февраля фев "
    "лютий лютого февруари φεβρουάριος φεβρουαρίου φεβ febrer februara februarja veljače vasario februāris "
    "veebruar فبراير פברואר",
    "march mar märz mrz maerz maart mrt mars marzo março marco marts maaliskuu maaliskuuta marzec marca "
    "březen března marec március márc martie mart март марта мар березень березня μάρτιος μαρτίου μαρ març "
    "ožujka kovo märts مارس מרץ",
    "april apr avril avr abril abr aprile huhtikuu huhtikuuta kwiecień kwietnia kwi duben dubna apríl "
    "apríla április ápr aprilie nisan nis апрель апреля апр квітень квітня април απρίλιος απριλίου απρ "
    "aprila travnja balandžio aprīlis aprill أبريل אפריל",
    "may mai mei mayo maggio mag maio maj toukokuu toukokuuta maja květen května máj mája május máj mayıs "
    "май мая травень травня μάιος μαΐου μαϊ maig svibnja gegužės maijs mays مايو מאי",
    "june jun juni juin junio giugno giu junho kesäkuu kesäkuuta czerwiec czerwca cze červen června jún "
    "júna június jún iunie haziran haz июнь июня июн червень червня юни ιούνιος ιουνίου ιουν juny juna "
    "junija lipnja birželio jūnijs juuni يونيو יוני",
    "july jul juli juillet juil julio luglio lug julho heinäkuu heinäkuuta lipiec lipca lip červenec "
    "července júl júla július júl iulie temmuz tem июль июля июл липень липня юли ιούλιος ιουλίου ιουλ "
    "juliol jula julija srpnja liepos jūlijs juuli يوليو יולי",
    "august aug août aout agosto ago elokuu elokuuta sierpień sierpnia sie srpen srpna augusta augusztus "
    "ağustos ağu август августа авг серпень серпня αύγουστος αυγούστου αυγ agost avgusta kolovoza rugpjūčio "
    "augusts augustus agustus أغسطس אוגוסט",
    "september sept sep septembre septiembre setiembre settembre set setembro syyskuu syyskuuta wrzesień "
    "września wrz září septembra szeptember szept septembrie eylül eyl сентябрь сентября сен сент вересень "
    "вересня септември σεπτέμβριος σεπτεμβρίου σεπ setembre rujna rugsėjo septembris سبتمبر ספטמבר",
    "october oct oktober okt octobre octubre ottobre ott outubro out lokakuu lokakuuta październik "
    "października paź říjen října október októbra octombrie ekim eki октябрь октября окт жовтень жовтня "
    "октомври οκτώβριος οκτωβρίου οκτ oktobra spalio oktobris oktoober oktobar أكتوبر אוקטובר",
    "november nov novembre noviembre novembro marraskuu marraskuuta listopad listopada lis listopadu "
    "novembra noiembrie kasım kas ноябрь ноября ноя нояб листопад листопада ноември νοέμβριος νοεμβρίου νοε "
    "studenoga lapkričio novembris نوفمبر נובמבר",
    "december dec dezember dez décembre déc decembre diciembre dic dicembre dezembro joulukuu joulukuuta "
    "grudzień grudnia gru prosinec prosince decembra decembrie aralık ara декабрь декабря дек грудень "
    "грудня декември δεκέμβριος δεκεμβρίου δεκ desembre desember des prosinca gruodžio decembris detsember "
    "ديسمبر דצמבר",
)

MONTHS: Final = {name.casefold(): number for number, names in enumerate(_NAMES, 1) for name in names.split()}
"""Numbers of months by their names, in lower case."""

_EARLIEST: Final = 1990  # first year of a page; the web is no older
_LONGEST: Final = 200  # characters of a text in which a day is looked for

# Year, month and day at the start of a text.
_ISO: Final = re.compile(r"\s*(?P<year>(?:19|20)\d\d)[-/.](?P<month>[01]?\d)[-/.](?P<day>[0-3]?\d)(?!\d)")

# Year, month and day without separators at the start of a text, with or without a time.
_COMPACT: Final = re.compile(
    r"\s*(?P<year>(?:19|20)\d\d)(?P<month>[01]\d)(?P<day>[0-3]\d)(?:\d{4}(?:\d\d)?)?(?!\d)"
)

_SECONDS: Final = re.compile(r"\s*(\d{9,10})(?:\d{3})?\s*")  # seconds, or thousandths of them, since 1970

# Year, month and day in Chinese, Japanese and Korean.
_EAST_ASIAN: Final = re.compile(
    r"(?P<year>(?:19|20)\d\d)\s?[年년]\s?(?P<month>1?\d)\s?[月월]\s?(?P<day>[1-3]?\d)\s?[日일号]?"
)

# Year, month and day anywhere.
_YEAR_FIRST: Final = re.compile(
    r"(?<![\d./-])(?P<year>(?:19|20)\d\d)\s?[-/.]\s?(?P<month>[01]?\d)\s?[-/.]\s?(?P<day>[0-3]?\d)(?!\d)"
)

# Day, month and year, or month, day and year, anywhere.
_YEAR_LAST: Final = re.compile(
    r"(?<![\d./-])(?P<day>[0-3]?\d)\s?(?P<sign>[-/.])\s?(?P<month>[0-3]?\d)\s?(?P=sign)\s?"
    r"(?P<year>(?:19|20)\d\d)(?!\d)"
)

# Day, name of the month, year.
_DAY_MONTH: Final = re.compile(
    r"(?<!\d)(?P<day>[0-3]?\d)(?:st|nd|rd|th|er|ος|º|ª|\.|-?го)?[\s/-]{1,3}(?:of |de |d['’])?"
    r"(?P<month>[^\W\d_]{3,12})[.,]?[\s/-]{0,3}(?:de |del |του )?,?\s?(?P<year>(?:19|20)\d\d)(?!\d)"
)

# Name of the month, day, year.
_MONTH_DAY: Final = re.compile(
    r"(?P<month>[^\W\d_]{3,12})\.?[\s-]{1,2}(?P<day>[0-3]?\d)(?:st|nd|rd|th)?,?[\s-]{1,2}(?:at |in )?"
    r"(?P<year>(?:19|20)\d\d)(?!\d)"
)

# Year, name of the month, day.
_YEAR_MONTH_DAY: Final = re.compile(
    r"(?P<year>(?:19|20)\d\d)[.,]?[\s-](?P<month>[^\W\d_]{3,12})\.?[\s-](?P<day>[0-3]?\d)(?!\d)"
)

_ANYWHERE: Final = (_EAST_ASIAN, _YEAR_FIRST, _YEAR_LAST, _DAY_MONTH, _MONTH_DAY, _YEAR_MONTH_DAY)

# Day, month and the last two figures of the year.
_SHORT_YEAR: Final = re.compile(r"(?<![\d.])([0-3]?\d)\.\s?([01]?\d)\.\s?([0-3]\d)(?![\d.])")

_NUMBERS: Final = re.compile(r"\d{1,4}")  # numbers; a day has two at least
_YEAR: Final = re.compile(r"(?:19|20)\d\d")  # a year

# A day in the path of a URL.
_IN_URL: Final = re.compile(
    r"(?<![\d.])(?P<year>(?:19|20)\d\d)(?P<sign>[-/_.]?)(?P<month>0[1-9]|1[0-2]|(?<!\d)[1-9](?!\d))(?P=sign)"
    r"(?P<day>0[1-9]|[12]\d|3[01]|(?<!\d)[1-9])(?!\d)"
)

# A day in the path of a URL, its number first.
_DAY_FIRST_IN_URL: Final = re.compile(
    r"(?<![\d.])(?P<day>[0-3]\d)(?P<sign>[-_.])(?P<month>[01]\d)(?P=sign)(?P<year>(?:19|20)\d\d)(?!\d)"
)


def day(text: str, *, month_first: bool = False) -> str | None:
    """Read a day from a text.

    ``text``: a day or a time, in ISO 8601, as a timestamp, or in words of one of 30 languages. Only its first
        200 characters are read.
    ``month_first``: read ``3/4/2024`` as March 4, as in the United States. A number above 12 is a day either
        way.
    Returns: the first day of the text as ``YYYY-MM-DD``. None if there is none, if it does not exist, or if
        it is before 1990 or after tomorrow (UTC).
    """
    text = text[:_LONGEST]
    found = _ISO.match(text) or _COMPACT.match(text)
    if found is not None:
        return _read(found)
    if seconds := _SECONDS.fullmatch(text):
        return _within(datetime.fromtimestamp(int(seconds[1]), UTC).date())
    if len(_NUMBERS.findall(text)) < 2:
        return None
    if not _YEAR.search(text):
        short = _SHORT_YEAR.search(text)
        return _checked(f"20{short[3]}", short[2], short[1]) if short else None
    words = text.casefold()
    found_in = (
        (found, _read(found, month_first)) for pattern in _ANYWHERE for found in pattern.finditer(words)
    )
    return min(((found.start(), read) for found, read in found_in if read), default=(0, None))[1]


def first_day(texts: Iterable[str], *, month_first: bool = False) -> str | None:
    """Give the first day that any of the texts holds, as :func:`day` reads it; None if there is none."""
    return next(filter(None, (day(text, month_first=month_first) for text in texts)), None)


def day_in_url(url: str) -> str | None:
    """Read a day from the path of a URL, such as ``/2024/05/31/``; None if there is none."""
    path = url.partition("//")[2].partition("?")[0][:2000]
    if "20" not in path and "19" not in path:
        return None
    found_in = (found for pattern in (_IN_URL, _DAY_FIRST_IN_URL) for found in pattern.finditer(path))
    return next(filter(None, map(_read, found_in)), None)


def _read(found: re.Match[str], month_first: bool = False) -> str | None:
    """Return the day that a pattern has found; None if there is none such."""
    year, month, number = found["year"], found["month"], found["day"]
    if month.isalpha():
        return _checked(year, str(MONTHS.get(month, 0)), number)
    if found.re is not _YEAR_LAST:
        return _checked(year, month, number)
    if month_first and found["sign"] == "/":
        month, number = number, month
    return _checked(year, month, number) or _checked(year, number, month)


def _checked(year: str, month: str, number: str) -> str | None:
    try:
        return _within(date(int(year), int(month), int(number)))
    except ValueError:
        return None


def _within(found: date) -> str | None:
    return found.isoformat() if found.year >= _EARLIEST and found <= _tomorrow() else None


def _tomorrow() -> date:
    return datetime.now(UTC).date() + timedelta(days=1)
