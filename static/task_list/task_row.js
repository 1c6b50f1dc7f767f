// Row of a task: a link with a menu; a field while it is renamed; a check box during selection.

import { h, icon, intent, sendsOnEnter } from '../shared/ui/dom.js';
import { isolated } from '../shared/ui/service_text.js';
import { openMenu } from './task_menu.js';
import { statusWord, taskTitle } from '../shared/text/format.js';
import { shortMoment } from '../shared/text/locale.js';
import { ownOrigin } from '../transport/service.js';

export const nameOf = (t, run) => taskTitle(t.titled(run.title, run.agent), ownOrigin()) || t.agent(run.agent ?? '') || t('runs.untitled');

/** `list`: { t, current, place, picked, renaming } */
export function runRow(host, run, { t, current, place, picked, renaming }) {
  const title = nameOf(t, run);
  const inside = picked ? pickable(host, t, run, title, picked.includes(run.run_id), place)
    : renaming === run.run_id ? renamed(host, t, run, title)
      : [link(host, t, run, title, current, place), menuButton(host, t, run, title)];
  return h('li', { class: 'run-entry', data: { key: run.run_id } }, inside);
}

function facts(t, run, title, place) {
  const status = !place ? statusWord(run.status, t) : t(place === 'line' ? 'status.line' : `holder.${place}`);
  return [
    h('span', { class: 'run-title' }, run.pinned && h('span', { class: 'run-pin' }, icon('pin'), h('span', { class: 'sr' }, t('runs.pinned'))), isolated(title)),
    h('span', { class: 'run-meta' }, `${status} · ${shortMoment(run.updated_at ?? run.created_at, t.locale)}`),
  ];
}

const dot = (run) => h('span', { class: 'state-dot', data: { status: run.status }, 'aria-hidden': 'true' });

function link(host, t, run, title, current, place) {
  const keys = (event) => {
    if (event.key === 'F2') intent(host, 'renameTask', { id: run.run_id });
    else if (event.key === 'Delete') intent(host, 'askDelete', { ids: [run.run_id] });
    else return;
    event.preventDefault();
  };
  return h('a', { class: 'run-row', href: `#/runs/${run.run_id}`, onkeydown: keys, data: { key: `row-${run.run_id}`, status: run.status }, 'aria-keyshortcuts': 'F2 Delete', 'aria-current': run.run_id === current ? 'page' : null }, dot(run), facts(t, run, title, place));
}

function menuButton(host, t, run, title) {
  return h('button', { type: 'button', class: 'quiet run-more', 'aria-haspopup': 'menu', 'aria-expanded': 'false', 'aria-label': t('runs.menu.of', { title }), data: { key: `menu-${run.run_id}` }, onclick: (event) => openMenu(host, t, run, title, event.target.closest('button')) }, icon('dots'));
}

function pickable(host, t, run, title, checked, place) {
  const box = h('input', { type: 'checkbox', 'aria-label': t('runs.pick', { title }), onchange: () => intent(host, 'pickTask', { id: run.run_id }) });
  box.checked = checked;
  return h('label', { class: 'run-row run-pick', data: { key: `pick-${run.run_id}`, status: run.status } }, box, facts(t, run, title, place));
}

/** Ends renaming: Enter or leaving the field stores the title, Escape does not. */
function renamed(host, t, run, title) {
  let over = false;
  const done = (kept) => {
    if (over) return;
    over = true;
    intent(host, 'retitleTask', { id: run.run_id, title: kept });
  };
  const keys = (event) => {
    if (event.key === 'Escape') done(null);
    else if (sendsOnEnter(event)) done(event.target.value);
    else return;
    event.preventDefault();
  };
  const field = h('input', { type: 'text', class: 'run-rename', value: title, maxlength: '200', autocomplete: 'off', 'aria-label': t('runs.rename.of', { title }), data: { key: `rename-${run.run_id}`, loose: '', testid: 'rename' }, onkeydown: keys, onblur: (event) => done(event.target.value) });
  return field;
}
