// Money in texts: amounts with their currency, and words for totals. Running times are told apart from amounts.

const CURRENCY_SIGNS = "$€£₴¥₽₹₺₩₪₫₦฿";
const CODES_BEFORE = "USD|EUR|UAH|GBP|PLN|CHF";
const CODES_AFTER = `${CODES_BEFORE}|CZK|грн|руб|zł|kč|kr`;
const TOTALS = "total|to pay|you pay|amount due|разом|всього|усього|до сплати|итого|к оплате|сума|сумма|gesamt(?:summe|betrag)?|summe|totale|razem|suma|montant";
const AMOUNT = new RegExp(`[${CURRENCY_SIGNS}]\\s?\\d|\\b(?:${CODES_BEFORE})\\s?\\d|\\d\\s?(?:[${CURRENCY_SIGNS}]|(?:${CODES_AFTER})(?![a-zа-яіїєґ]))`, "i");
const CURRENCY = new RegExp(`[${CURRENCY_SIGNS}]|${CODES_AFTER}`, "i");
const TOTAL = new RegExp(`(?:^|[^\\p{L}])(?:(?:sub|grand )?(?:${TOTALS}))(?![\\p{L}])`, "iu");
const TOTAL_WORD = new RegExp(TOTALS, "iu");

/** Reports whether a text has an amount with its currency. */
const statesAmount = (text) => AMOUNT.test(text);

/** Reports whether a text has a word for a total that stands by itself. */
const statesTotal = (text) => TOTAL.test(text);

const statesMoney = (text) => statesAmount(text) || statesTotal(text);

/** Reports whether a text may be a part of an amount, which may be spread over several elements. */
const namesCurrency = (text) => CURRENCY.test(text);

/** Reports whether a text may be a part of a total. */
const namesTotal = (text) => TOTAL_WORD.test(text);

/** End of a lookbehind: no amount ends here. */
const NO_AMOUNT = `(?<![${CURRENCY_SIGNS}\\d.,]\\s?)`;
const SECONDS = "ms|s|secs?|seconds?|с|сек|секунд[иау]?";
const MINUTES = "mins?|minutes?|хв|хвилин[иау]?";
const HOURS = "h|hrs?|hours?|год|годин[иау]?";
/**
 * Running times ("09:58", "58 s left", "1h 4m") carry no meaning and would void every approval; "$5m" is money. So may
 * "10 m" be, which counts as a time only beside another one or a word of time.
 */
const TIME = new RegExp(`\\b\\d{1,3}:\\d{2}(?::\\d{2})?\\b|${NO_AMOUNT}\\d{1,4}\\s?(?:${SECONDS}|${MINUTES}|${HOURS})(?![\\p{L}\\d])`, "giu");
const SHORT_MINUTES = new RegExp(
  `(?<=\\d\\s?(?:d|h|hrs?|hours?)\\s?)\\d{1,3}\\s?m(?![\\p{L}\\d])|${NO_AMOUNT}\\d{1,3}\\s?m(?=\\s?\\d{1,2}\\s?s\\b|\\s(?:left|ago|remain|to go|more|тому|залиш))`, "giu");

const withoutTimes = (text) => text.replace(SHORT_MINUTES, "").replace(TIME, "");

/** Converts the text of a cell to a type of JSON; null if it is none. */
function asType(text, type) {
  if (text === "") return null;
  switch (type) {
    case "number": return numberIn(text);
    case "integer": {
      const number = numberIn(text);
      return number === null ? null : Math.trunc(number);
    }
    case "boolean": return /^(?:yes|true|1|✓|✔|☑|on|так|є)/i.test(text) ? true : /^(?:no|false|0|✗|✘|☐|off|ні|немає)/i.test(text) ? false : null;
    default: return text;
  }
}

/** Reads the first number of a text, with the separators of either language: 1,234.50 and 1 234,50. */
function numberIn(text) {
  const found = /[-−]?\d[\d\s .,'’]*/.exec(text);
  if (found === null) return null;
  let digits = found[0].replace(/[\s '’]/g, "").replace("−", "-").replace(/[.,]$/, "");
  const comma = digits.lastIndexOf(",");
  const dot = digits.lastIndexOf(".");
  if (comma > dot) digits = /,\d{3}$/.test(digits) && dot < 0 && digits.indexOf(",") !== 0 && !/^-?0,/.test(digits) ? digits.replace(/,/g, "") : digits.replace(/\./g, "").replace(/,(?=\d+$)/, ".").replace(/,/g, "");
  else if (comma >= 0 || (digits.match(/\./g) ?? []).length > 1) digits = comma >= 0 ? digits.replace(/,/g, "") : digits.replace(/\./g, "");
  const number = Number(digits);
  return Number.isFinite(number) ? number : null;
}
