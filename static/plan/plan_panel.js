// Plan of the open task above the composer: a progress line if folded, a checklist if unfolded. Shows the
// newest plan only.

import { h, icon, intent } from '../shared/ui/dom.js';
import { morph } from '../shared/ui/morph.js';
import { planItem } from './plan_item.js';
import { planEditor, editorKeys } from './plan_editor.js';
import { dragging } from './plan_drag.js';
import { currentOf, doneOf, planOf } from './plan.js';
import { isActive } from '../shared/run_status.js';

const WIDE = matchMedia('(min-width: 821px) and (min-height: 641px)');

class Plan extends HTMLElement {
  #last = [];
  #open = new Map(); // run id -> true if unfolded by the person
  #body = h('div', { class: 'plan-body', id: 'plan-body' });
  #head = h('div', { class: 'plan-head' });

  connectedCallback() {
    if (this.#body.parentNode) return;
    this.append(this.#head, this.#body);
    dragging(this.#body, (op, args) => this.#tell('changePlan', { op, args }));
    this.#body.addEventListener('keydown', (event) => editorKeys(event, (op, args) => this.#tell('changePlan', { op, args })));
  }

  /** Rows are matched by order alone, and the next task has the same order. */
  leave() {
    this.#last = [];
    this.#body.replaceChildren();
    this.#head.replaceChildren();
  }

  update({ t, route, run, liveRun, child, isReplay, question, questionReadonly, planning, connection, lease }) {
    const reported = route === 'run' ? planOf(run, run?.plans[child] ? child : null) : null;
    const plan = reported && !isReplay && planning.saved?.runId === reported.runId ? planning.saved : reported;
    const approving = question?.kind === 'approve_plan' && !questionReadonly && !isReplay;
    const changing = planning.draft !== null && planning.runId === plan?.runId;
    // The card that asks for approval shows the plan itself.
    this.hidden = !plan || (approving && !changing) || lease.mine;
    if (this.hidden) return;
    const live = !isReplay && isActive(liveRun.status);
    const editing = live && changing ? planning : null;
    const asks = Boolean(question) && !questionReadonly;
    const open = Boolean(editing) || (this.#open.get(plan.runId) ?? (WIDE.matches && live && !asks));
    const over = !isReplay && !live;
    const state = [t, plan, live, editing, open, connection.state, over];
    if (state.every((part, at) => part === this.#last[at])) return;
    this.#last = state;
    this.#draw(t, plan, { live, over, editing, open, online: connection.state === 'open' });
  }

  #draw(t, plan, { live, over, editing, open, online }) {
    const { items, runId } = plan;
    this.setAttribute('aria-label', t('plan.label'));
    this.toggleAttribute('data-open', open);
    const done = doneOf(items);
    const now = live ? currentOf(items) : null;
    const words = done === items.length ? t('plan.all') : now ? t(now.status === 'running' ? 'plan.now' : 'plan.next', { text: now.description }) : '';
    morph(this.#head,
      h('button', { class: 'quiet plan-fold', 'aria-expanded': String(open), 'aria-controls': 'plan-body', disabled: Boolean(editing), title: t(open ? 'plan.hide' : 'plan.show'), data: { testid: 'plan-fold' }, onclick: () => this.#fold(runId, !open) },
        icon('next'), h('strong', {}, t('plan.title')),
        h('span', { class: 'plan-count', 'aria-label': t('plan.of.long', { done, n: items.length }) }, t('plan.of', { done, n: items.length })),
        h('span', { class: 'plan-now' }, open ? '' : words)),
      live && !editing && h('button', { class: 'quiet square plan-edit', 'aria-label': t('plan.edit'), title: t('plan.edit'), disabled: !online, data: { testid: 'plan-edit' }, onclick: () => this.#edit(runId) }, icon('pencil')),
      h('span', { class: 'plan-bar', 'aria-hidden': 'true' }, items.map((item) => h('i', { data: { status: item.status, now: item === now ? '' : undefined } }))));
    this.#body.hidden = !open;
    if (!open) return morph(this.#body);
    return this.#keeping(() => this.#content(t, plan, { editing, now, live, over }));
  }

  #content(t, { items }, { editing, now, live, over }) {
    if (editing) return morph(this.#body, planEditor(t, editing, items, (name, detail) => this.#tell(name, detail)));
    return morph(this.#body, h('ol', { class: 'checklist', data: { key: 'list' } }, items.map((item) => planItem(t, item, { current: item === now, live, over, all: items }))));
  }

  // Keeps the focus on a moved node; an editor that opens takes it, and returns it when it closes.
  #keeping(draw) {
    const [had, edited] = [document.activeElement, this.hasAttribute('data-editing')];
    draw();
    const editing = Boolean(this.#body.querySelector('.plan-form'));
    this.toggleAttribute('data-editing', editing);
    if (editing && !edited) this.#body.querySelector('.plan-field')?.focus();
    else if (!editing && edited) (this.#head.querySelector('.plan-edit') ?? this.#head.querySelector('.plan-fold')).focus();
    else if (editing && had !== document.activeElement && this.contains(had)) had.focus();
    const lost = editing && had?.disabled && this.contains(had);
    if (lost) had.closest('.plan-row-edit')?.querySelector('.plan-field')?.focus();
  }

  // Announces the new position of a moved item for screen readers.
  #tell(name, detail) {
    const { items = [] } = this.#last[3]?.draft ?? {};
    intent(this, name, detail);
    if (detail?.op !== 'moveBy') return;
    const [id, by] = detail.args;
    const n = Math.max(1, Math.min(items.length, items.findIndex((item) => item.id === id) + 1 + by));
    intent(this, 'say', { text: this.#last[0]('plan.moved', { n, max: items.length }) });
  }

  #fold(runId, open) {
    this.#open.set(runId, open);
    intent(this, 'redraw');
  }

  #edit(run) {
    this.#open.set(run, true);
    intent(this, 'editPlan', { run });
  }
}

customElements.define('af-plan', Plan);
