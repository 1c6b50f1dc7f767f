// Amounts, totals and running times in texts of pages, as the page script tells them apart.

import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const source = readFileSync(new URL('../../src/browser/injected/read/money.js', import.meta.url), 'utf8');
const { statesAmount, statesTotal, withoutTimes } = new Function(`'use strict'; ${source}; return { statesAmount, statesTotal, withoutTimes };`)();

test('amounts have a sign or a code of a currency before or after them', () => {
  for (const text of ['$5', '5 €', 'USD 20', '20 EUR', '1 200 грн', '100грн.', '30 kr', '₺ 7', '12 zł', 'від 99 грн за кг']) assert.ok(statesAmount(text), text);
  for (const text of ['5 apples', 'USD', '12 krona', 'room 20', '3 грна', 'EURO 2']) assert.ok(!statesAmount(text), text);
});

test('totals are words of their own', () => {
  for (const text of ['Total', 'Subtotal: 5', 'Разом', 'до сплати', 'Gesamtbetrag', 'Grand total']) assert.ok(statesTotal(text), text);
  for (const text of ['Totally', 'Сумати', 'Razemski']) assert.ok(!statesTotal(text), text);
});

test('running times are taken out, amounts are not', () => {
  for (const [text, left] of [['09:58', ''], ['58 s left', ' left'], ['1h 4m', ' '], ['5 хвилин', ''], ['$5m', '$5m'], ['€ 12 h', '€ 12 h'], ['10 m', '10 m'], ['3 m ago', ' ago']]) assert.equal(withoutTimes(text), left, text);
});
