// Sentences about actions of a run, and advice on their errors.
//
//   advice(error, t, action) -> string

import { cut, shortUrl } from './format.js';

export function actionLine(e, t) {
  if (e.state === 'stopped') return t('action.cut', { line: actionLine({ ...e, state: 'running' }, t) });
  const form = { running: 'doing', ok: 'done' }[e.state] ?? 'failed';
  const params = actionParams(e, t);
  const special = variant(e, form);
  const key = special && t.has(special) ? special : `action.${e.action || NO_ACTION}.${form}`;
  const line = t.has(key) ? t(key, params) : t(`action.any.${form}`, params);
  return [line, ...manners(e, t)].join(t('action.manner.join'));
}

/** Returns the ways in which a click is done other than the plain one: keys held, its length, button and number. */
function manners({ action, params }, t) {
  if (action !== 'click' || !params) return [];
  const keys = [params.modifiers ?? []].flat().join('+');
  const [hold, count] = [Number(params.hold_ms ?? 0), Number(params.count ?? 1)];
  return [
    params.button === 'right' && t('action.manner.right'),
    params.button === 'middle' && t('action.manner.middle'),
    count === 2 && t('action.manner.double'),
    count === 3 && t('action.manner.triple'),
    keys && t('action.manner.keys', { keys }),
    hold > 0 && t('action.manner.hold', { seconds: hold / 1000 }),
  ].filter(Boolean);
}

/** Name that the service gives to a model's answer without an action. */
const NO_ACTION = 'none';

/** Reports whether a model's answer had no action, so that it is requested again. */
export const isUnusable = (action, code) => (action || NO_ACTION) === NO_ACTION && code === 'invalid_action';

/** "Натискаю «Увійти»" for the caption under the live page. */
export const doingLine = (doing, t) => actionLine({ ...doing, state: 'running' }, t);

/** Effects of a click on elements other than buttons. */
const CLICKED = {
  checkbox: 'toggle', switch: 'toggle', menuitemcheckbox: 'toggle',
  radio: 'choose', menuitemradio: 'choose', option: 'choose', tab: 'choose', treeitem: 'choose',
};

/** Actions that may name a point of the picture instead of an element. */
const POINTED = new Set(['click', 'hover', 'type', 'drag']);

/** Returns the point that an action names, as "120, 80", or null. */
function pointOf(params) {
  return pointWords(params?.from ?? params);
}

const pointWords = (at) => (typeof at?.x === 'number' && typeof at?.y === 'number' ? `${Math.round(at.x)}, ${Math.round(at.y)}` : null);

function variant(e, form) {
  const toggled = form === 'done' && toggledTo(e);
  if (toggled) return `action.click.${toggled}.done`;
  if (e.action === 'click' && CLICKED[e.target?.role]) return `action.click.${CLICKED[e.target.role]}.${form}`;
  if (e.action === 'type' && !e.params?.text) return `action.type.some.${form}`;
  if (e.action === 'scroll' && e.params.direction) return `action.scroll.${e.params.direction}.${form}`;
  if (e.action === 'drag' && e.target?.dragged) return `action.drag.onto.${form}`;
  if (POINTED.has(e.action) && pointOf(e.params) !== null) return `action.${e.action}.point.${form}`;
  if (e.action === 'wait' && e.params.gone) return `action.wait.gone.${form}`;
  if (e.action === 'wait' && e.params.text) return `action.wait.text.${form}`;
  if (e.action === 'tab' && ['new', 'close'].includes(e.params?.operation)) return `action.tab.${e.params.operation}.${form}`;
  if (e.action === 'dialog' && typeof e.params?.accept === 'boolean') return `action.dialog.${e.params.accept ? 'accept' : 'dismiss'}.${form}`;
  if (e.action === 'extract' && (e.params?.schema || ['json', 'csv'].includes(e.params?.as))) return `action.extract.rows.${form}`;
  if (e.action === 'upload' && e.params?.file && [e.params.file].flat().length === 1) return `action.upload.named.${form}`;
  if (e.action === 'extract' && e.params?.file) return `action.extract.file.${form}`;
  if (e.action === 'extract' && form === 'failed' && Object.keys(e.params ?? {}).length === 0) return 'action.extract.unknown.failed';
  if (e.action === 'extract' && !e.target) return `action.extract.page.${form}`;
  return null;
}

/** Returns the state after a click. `checked` is the state before it, which older tasks lack. */
function toggledTo({ action, target }) {
  if (action !== 'click' || CLICKED[target?.role] !== 'toggle' || typeof target.checked !== 'boolean') return null;
  if (target.role === 'switch') return target.checked ? 'off' : 'on';
  return target.checked ? 'untick' : 'tick';
}

function actionParams(e, t) {
  const p = e.params ?? {};
  return {
    action: t.agent?.(e.action ?? '') || e.action || '',
    target: targetName(e.target, t, p.eid),
    url: shortUrl(p.url),
    text: cut(p.text ?? p.question ?? p.response),
    key: p.key ?? '',
    file: cut([p.file ?? []].flat().join(', ')),
    option: cut([p.options ?? p.option ?? []].flat().join(', ')),
    seconds: p.seconds ?? '',
    n: p.fields?.length ?? 0,
    point: pointOf(p) ?? '',
    to: pointWords(p.to) ?? '',
    dragged: targetName(e.target?.dragged, t, p.from_eid),
    gone: cut(p.gone),
    used: cut(e.action === 'page_tool' ? p.name : ''),
  };
}

export function targetName(target, t, eid) {
  const role = target?.role && t.has(`role.${target.role}`) ? t(`role.${target.role}`) : '';
  if (target?.name) return t('target.named', { name: cut(target.name, 60), role }).trim();
  if (role) return role;
  return eid === undefined || eid === null ? t('target.none') : t('target.eid', { eid: String(eid) });
}

/** Returns advice on an error, by action if it was one of an action; the server's message is shown beside it. */
export function advice(error, t, action = null) {
  if (action !== null && isUnusable(action, error?.code)) return t('advice.unusable_answer');
  const key = `advice.${error?.code}`;
  return t(t.has(key) ? key : 'advice.any');
}
