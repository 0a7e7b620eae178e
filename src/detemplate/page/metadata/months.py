"""Names of months in the languages whose days :mod:`detemplate.page.metadata.dates` reads."""

from __future__ import annotations

from typing import Final

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
