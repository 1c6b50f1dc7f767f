// Condition of an item (S0.12) in parts that a person edits: variable, operator, and operand with its kind; or
// a free expression.

export const OPERATORS = ['equals', 'not_equals', 'in', 'exists', 'absent', 'expr'];
export const KINDS = ['text', 'boolean', 'number', 'null'];

export const kindOfValue = (value) => (value === null ? 'null' : { boolean: 'boolean', number: 'number' }[typeof value] ?? 'text');

/** Returns the operator of a condition. */
export function operatorOf(when) {
  if (when?.expr !== undefined) return 'expr';
  if (when && 'not_equals' in when) return 'not_equals';
  if (when && 'in' in when) return 'in';
  if (when && 'exists' in when) return when.exists === false ? 'absent' : 'exists';
  return 'equals';
}

/** Returns the operand, as in the file. */
export function operandOf(when) {
  const operator = operatorOf(when);
  if (operator === 'equals' || operator === 'not_equals') return when?.[operator] ?? null;
  return operator === 'in' ? when.in ?? [] : null;
}

/** Changes the operator, and keeps the operand where it fits. */
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

/** Converts the condition to an expression, to continue editing from it. */
function expression(when) {
  if (!when?.var) return '';
  const value = JSON.stringify(operandOf(when));
  return { equals: `${when.var} == ${value}`, not_equals: `${when.var} != ${value}`, in: `${when.var} in ${value}` }[operatorOf(when)] ?? when.var;
}

export const withVariable = (when, variable, type) => {
  const next = { ...when, var: variable };
  delete next.expr;
  if (operatorOf(when) === 'expr') return { var: variable, equals: defaultOperand(type) };
  // A boolean is compared with true or false, not with text.
  if ('equals' in next && type === 'boolean' && typeof next.equals !== 'boolean') next.equals = true;
  return next;
};

/** Returns the initial operand of a new comparison. */
export const defaultOperand = (type) => (type === 'boolean' ? true : type === 'integer' || type === 'number' ? 0 : '');

export function withOperand(when, value) {
  const operator = operatorOf(when) === 'not_equals' ? 'not_equals' : operatorOf(when) === 'in' ? 'in' : 'equals';
  return { var: when?.var ?? '', [operator]: value };
}

/** Converts a value to another kind; an unsuitable one becomes that kind's initial value. */
export function cast(value, kind) {
  if (kind === 'null') return null;
  if (kind === 'boolean') return value === true || value === 'true' || value === 1;
  if (kind === 'number') return Number.isFinite(Number(value)) ? Number(value) : 0;
  return value === null ? '' : String(value);
}

/**
 * Writes a list with one value a line. A line that parses as number, true, false, null or quoted text has that
 * type; any other is text.
 */
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

/** Describes the condition in a short line: "is_complex = yes". */
export function whenLine(when, t) {
  const operator = operatorOf(when);
  if (operator === 'expr') return when.expr || '…';
  const value = (one) => (typeof one === 'boolean' ? t(`when.${one}`) : one === null ? t('when.null') : String(one) === '' ? '“”' : String(one));
  const operand = operandOf(when);
  const shown = Array.isArray(operand) ? operand.map(value).join(', ') : value(operand);
  return t(`when.line.${operator}`, { var: when?.var || '…', value: shown });
}
