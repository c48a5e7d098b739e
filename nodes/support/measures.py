"""Units of measure that convert exactly, currencies, and the words for thousands and millions."""

from __future__ import annotations

from fractions import Fraction
from typing import Final, NamedTuple


class Unit(NamedTuple):
    """A unit: what it measures, and how many of the base unit it is."""

    base: str
    factor: Fraction


def _table(*rows: tuple[str, str, str]) -> dict[str, Unit]:
    return {
        word: Unit(base, Fraction(factor)) for base, factor, words in rows for word in words.split()
    }


UNITS: Final = _table(
    ("m", "1/1000", "mm millimetre millimetres millimeter millimeters millimetern"),
    ("m", "1/100", "cm centimetre centimetres centimeter centimeters zentimeter zentimetern"),
    ("m", "1", "m metre metres meter meters metern 미터 米"),
    ("m", "1000", "km kilometre kilometres kilometer kilometers kilometern 킬로미터 公里 千米"),
    ("m", "1609.344", "mile miles meile meilen"),
    ("m", "0.3048", "ft foot feet"),
    ("m", "0.0254", "inch inches"),
    ("g", "1/1000", "mg milligram milligrams milligramm"),
    ("g", "1", "g gram grams gramm"),
    ("g", "1000", "kg kilo kilos kilogram kilograms kilogramm 킬로그램 公斤 千克"),
    ("g", "1000000", "t ton tons tonne tonnes tonnen 톤 吨"),
    ("s", "1", "second seconds sekunde sekunden 초 秒"),
    ("s", "60", "min minute minutes minuten 분 分钟"),
    ("s", "3600", "h hour hours stunde stunden 시간 小时"),
    ("s", "86400", "day days tag tage tagen 일간 天"),
    ("s", "604800", "week weeks woche wochen 주 周"),
    ("month", "1", "month months monat monate monaten 개월 个月"),
    ("month", "12", "year years jahr jahre jahren"),
    ("l", "1/1000", "ml millilitre millilitres milliliter milliliters"),
    ("l", "1", "l litre litres liter liters litern"),
    ("W", "1", "w watt"),
    ("W", "1000", "kw kilowatt"),
    ("W", "1000000", "mw megawatt"),
    ("W", "1000000000", "gw gigawatt"),
    ("Wh", "1000", "kwh"),
    ("Wh", "1000000", "mwh"),
    ("Wh", "1000000000", "gwh"),
    ("m²", "1", "m² m2 sqm qm quadratmeter quadratmetern 平方米 제곱미터"),
    ("m²", "10000", "ha hectare hectares hektar"),
    ("m²", "1000000", "km² km2 quadratkilometer quadratkilometern"),
    ("m³", "1", "m³ m3 kubikmeter kubikmetern"),
    ("m/s", "1", "m/s"),
    ("m/s", "5/18", "km/h kmh kph"),
    ("EUR", "1", "eur euro euros € 유로 欧元"),
    ("EUR", "1/100", "cent cents"),
    ("USD", "1", "usd dollar dollars $ us$ 달러 美元"),
    ("GBP", "1", "gbp £ pound pounds"),
    ("CHF", "1", "chf franken"),
    ("SEK", "1", "sek nok dkk krona kronor krone kroner kronen"),
    ("KRW", "1", "krw won 원 ₩"),
    ("CNY", "1", "cny rmb yuan 元"),
    ("JPY", "1", "jpy yen ¥ 円"),
    ("%", "1", "% percent prozent 퍼센트"),
    ("°", "1", "° °c grad degree degrees 도 度"),
    ("bar", "1", "bar"),
)
"""Units by their words in small letters."""

SCALES: Final = {
    word: Fraction(scale)
    for scale, words in (
        (1_000, "thousand thousands tausend k tsd"),
        (1_000_000, "million millions millionen mio mn"),
        (1_000_000_000, "billion billions bn milliarde milliarden mrd"),
        (1_000_000_000_000, "trillion trillions billionen"),
        (10_000, "만 万"),
        (100_000_000, "억 亿 億"),
    )
    for word in words.split()
}
"""Words between a number and its unit."""
