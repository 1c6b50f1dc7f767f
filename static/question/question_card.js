// Card with the open question. It takes the focus on arrival. Keys: A approves, D declines.

import { h, icon, intent, setText, inTextField } from '../shared/ui/dom.js';
import { planOf, wordsOf } from '../plan/plan.js';
import { isFolded, secondsLeft, mayAnswerByKey } from './questions.js';
import { duration } from '../shared/text/locale.js';
import { questionTitle } from './question_text.js';
import { translateQuestion } from './questions.js';
import { refusal } from '../shared/text/refusal.js';
import { confirmCard, manualCard, textCard } from './card_kinds.js';
import { approveCard, budgetCard } from './plan_cards.js';

const MID_SENTENCE_MS = 1500; // time after the last letter for which the person counts as typing

// Times of the last letter and the one before it: a letter that may answer does not itself count as typing.
let [lastTypedAt, typedBeforeAt] = [-Infinity, -Infinity];
addEventListener('keydown', (event) => {
  if (event.key.length > 1 && !inTextField(event.target)) return;
  [typedBeforeAt, lastTypedAt] = [lastTypedAt, performance.now()];
}, true);

class Question extends HTMLElement {
  #key = null;
  #question = null;
  #form = null;
  #status = null;
  #countdown = null;
  #unfold = null;
  #shownAt = 0;
  #readonly = false;
  #folded = false;

  connectedCallback() {
    addEventListener('keydown', this);
    this.timer = setInterval(() => this.#tick(), 500);
  }

  disconnectedCallback() {
    removeEventListener('keydown', this);
    clearInterval(this.timer);
  }

  update(view) {
    const { t, question, questionCount, questionReadonly, answering, connection, route, lease, mine, planning, liveRun } = view;
    // The plan editor replaces the card while the plan is edited before its approval.
    const changing = planning.approves && planning.approves === question?.reference;
    const shown = route === 'run' && !changing ? question : null;
    this.hidden = !shown;
    if (!shown) {
      const had = this.contains(document.activeElement);
      this.#key = null;
      this.#question = null;
      this.replaceChildren();
      // Without an on-screen keyboard the focus returns to the composer.
      if (had && !changing && matchMedia('(pointer: fine)').matches) document.getElementById('composer-input')?.focus({ preventScroll: true });
      return;
    }
    const own = mine.includes(lease.holder);
    const leaseKey = shown.kind === 'manual' ? `${lease.possible}|${lease.mine}|${lease.holder}` : '';
    // The approved plan is the current one, which somebody may have edited since the question.
    const plan = shown.kind === 'approve_plan' && !questionReadonly ? planOf(liveRun, shown.runId)?.items : null;
    const key = `${plan ? wordsOf(plan) : ''}|${shown.reference}|${questionReadonly}|${t.locale}|${leaseKey}`;
    if (key !== this.#key) this.#draw(plan ? { ...shown, payload: { ...shown.payload, items: plan } } : shown, t, { count: questionCount, readonly: questionReadonly, lease, own, busy: planning.draft !== null }, key);
    this.#fold(t, planning.draft !== null && !questionReadonly, isFolded(view));
    return this.#showState(t, answering, connection);
  }

  #draw(question, t, { count, readonly, lease, own, busy }, key) {
    const isNew = this.#question?.reference !== question.reference;
    Object.assign(this, { t });
    this.#key = key;
    this.#question = question;
    this.#readonly = readonly;
    this.#countdown = h('span', { class: 'countdown', role: 'timer', hidden: true });
    this.#status = h('p', { class: 'card-status', role: 'status' });
    const draw = { manual: manualCard, question: textCard, approve_plan: approveCard, budget: budgetCard }[question.kind] ?? confirmCard;
    this.#form = h('section', { class: 'card', tabindex: '-1', role: 'group', 'aria-labelledby': 'card-title', data: { testid: 'question-card', kind: question.kind, reference: question.reference } },
      draw(translateQuestion(question, t.locale), t, { countdown: this.#countdown, status: this.#status, count, readonly, lease, own, answer: (fields) => this.#answer(fields), control: (command) => intent(this, 'control', { command }) }));
    this.#unfold = h('button', { type: 'button', class: 'quiet card-fold', hidden: true, data: { testid: 'card-fold' }, onclick: () => intent(this, 'foldQuestion', { reference: this.#folded ? question.reference : null }) }, icon('next'), h('span', {}));
    this.#form.append(this.#unfold);
    this.replaceChildren(this.#form);
    this.#tick();
    if (isNew && !readonly && !busy) this.#arrived();
  }

  // Folds without redrawing: text written into the card stays.
  #fold(t, offered, folded) {
    this.#folded = folded;
    this.#unfold.hidden = !offered;
    this.#unfold.setAttribute('aria-expanded', String(!folded));
    setText(this.#unfold.querySelector('span'), folded ? questionTitle(this.#question, t) || t('question.untitled') : t('card.fold'));
    this.#unfold.title = folded ? t('card.unfold') : '';
    if (folded) this.#form.dataset.folded = '';
    else delete this.#form.dataset.folded;
  }

  #arrived() {
    this.#shownAt = performance.now();
    // The card takes the focus, not its Approve button: a space or Enter meant for something else must not
    // approve.
    const midSentence = this.#shownAt - lastTypedAt < MID_SENTENCE_MS;
    const field = midSentence ? null : this.querySelector('[data-focus]');
    (field ?? this.#form).focus({ preventScroll: true });
  }

  #showState(t, answering, connection) {
    const current = answering?.reference === this.#question.reference ? answering : null;
    const offline = connection.state !== 'open';
    const blocked = this.#readonly || offline || current?.state === 'sent';
    for (const control of this.querySelectorAll('button, textarea, input')) control.disabled = blocked;
    this.#form.toggleAttribute('data-busy', current?.state === 'sent');
    const text = this.#readonly ? '' : offline ? t('card.offline') : current?.error ? Object.values(refusal(current.error, t)).join(' ').trim() : current?.state === 'sent' ? t('card.sending') : '';
    setText(this.#status, text);
  }

  #answer(fields) {
    if (this.#readonly || !this.#question) return;
    intent(this, 'answer', { reference: this.#question.reference, fields });
  }

  handleEvent(event) {
    if (!this.#question || this.#readonly || this.#folded || event.defaultPrevented) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || inTextField(event.target)) return;
    const letter = /^[a-z]$/i.test(event.key) ? event.key.toLowerCase() : { KeyA: 'a', KeyD: 'd' }[event.code];
    const button = { a: '[data-testid=approve]', d: '[data-testid=deny]' }[letter];
    const target = button && this.querySelector(button);
    if (!target || !mayAnswerByKey({ now: performance.now(), shownAt: this.#shownAt, lastTypedAt: typedBeforeAt })) return;
    event.preventDefault();
    target.click();
  }

  /** Open field for an alternative instruction, if there is one. */
  get instead() {
    return this.querySelector('.instead[data-open]');
  }

  closeInstead() {
    this.instead?.removeAttribute('data-open');
    this.querySelector('[data-testid=instead]')?.focus();
  }

  #tick() {
    const left = secondsLeft(this.#question, Date.now());
    if (!this.#countdown) return;
    this.#countdown.hidden = left === null || this.#readonly;
    if (left === null) return;
    this.#countdown.toggleAttribute('data-soon', left <= 15);
    this.#countdown.replaceChildren(icon('clock'), left > 0 ? this.t('card.left', { time: duration(left) }) : this.t('card.expired'));
  }
}

customElements.define('af-question', Question);
