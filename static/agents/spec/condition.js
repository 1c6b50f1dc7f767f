// The condition of an item (S0.12) as a person edits it: a variable, what is asked
// of it, and a value with its kind; or an expression alone.

export const OPERATORS = ['equals', 'not_equals', 'in', 'exists', 'absent', 'expr'];
export const KINDS = ['text', 'boolean', 'number', 'null'];

export const kindOfValue = (value) => (value === null ? 'null' : { boolean: 'boolean', number: 'number' }[typeof value] ?? 'text');

/** What is asked of the variable. */
export function operatorOf(when) {
  if (when?.expr !== undefined) return 'expr';
  if (when && 'not_equals' in when) return 'not_equals';
  if (when && 'in' in when) return 'in';
  if (when && 'exists' in when) return when.exists === false ? 'absent' : 'exists';
  return 'equals';
}

/** What is compared with, as it stands in the file. */
export function operandOf(when) {
  const operator = operatorOf(when);
  if (operator === 'equals' || operator === 'not_equals') return when?.[operator] ?? null;
  return operator === 'in' ? when.in ?? [] : null;
}

/** The condition with another question; what it was compared with is kept where it fits. */
export function withOperator(when, operator) {
  if (operator === 'expr') return { expr: when?.expr ?? expression(when) };
  const variable = when?.var ?? '';
  const old = operandOf(when);
  const first = Array.isArray(old) ? old[0] ?? '' : old;
  switch (operator) {
    case 'in': return { var: variable, in: Array.isArray(old) ? old : old === null ? [] : [old] };
    case 'exists': return { var: variable, exists: true };
    case 'absent': return { var: variable, exists: false };
    default: return { var: variable, [operator]: first };
  }
}

/** The same question as an expression, so that one can go on from it. */
function expression(when) {
  if (!when?.var) return '';
  const value = JSON.stringify(operandOf(when));
  return { equals: `${when.var} == ${value}`, not_equals: `${when.var} != ${value}`, in: `${when.var} in ${value}` }[operatorOf(when)] ?? when.var;
}

export const withVariable = (when, variable, type) => {
  const next = { ...when, var: variable };
  delete next.expr;
  if (operatorOf(when) === 'expr') return { var: variable, equals: firstOf(type) };
  // A truth is not asked for as text.
  if ('equals' in next && type === 'boolean' && typeof next.equals !== 'boolean') next.equals = true;
  return next;
};

/** What a new comparison begins with. */
export const firstOf = (type) => (type === 'boolean' ? true : type === 'integer' || type === 'number' ? 0 : '');

export function withOperand(when, value) {
  const operator = operatorOf(when) === 'not_equals' ? 'not_equals' : operatorOf(when) === 'in' ? 'in' : 'equals';
  return { var: when?.var ?? '', [operator]: value };
}

/** The value in another kind, kept where it can be read as one. */
export function cast(value, kind) {
  if (kind === 'null') return null;
  if (kind === 'boolean') return value === true || value === 'true' || value === 1;
  if (kind === 'number') return Number.isFinite(Number(value)) ? Number(value) : 0;
  return value === null ? '' : String(value);
}

/** One value a line: what reads as a number, true, false, null or a quoted text is that; the rest is text. */
export const listToLines = (list) => list.map((value) => (typeof value === 'string' && !readsAsValue(value) ? value : JSON.stringify(value))).join('\n');

export const linesToList = (text) => text.split('\n').map((line) => line.trim()).filter(Boolean).map((line) => (readsAsValue(line) ? JSON.parse(line) : line));

function readsAsValue(text) {
  try {
    const value = JSON.parse(text);
    return value === null || typeof value !== 'object';
  } catch {
    return false;
  }
}

/** The condition as a short line: "is_complex = yes". */
export function whenLine(when, t) {
  const operator = operatorOf(when);
  if (operator === 'expr') return when.expr || '…';
  const value = (one) => (typeof one === 'boolean' ? t(`when.${one}`) : one === null ? t('when.null') : String(one) === '' ? '“”' : String(one));
  const operand = operandOf(when);
  const shown = Array.isArray(operand) ? operand.map(value).join(', ') : value(operand);
  return t(`when.line.${operator}`, { var: when?.var || '…', value: shown });
}
