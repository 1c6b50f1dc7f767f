// Head of the open task: title, status, counters; pause, stop and take over.

import { h, icon, intent, setText } from '../shared/ui/dom.js';
import { amount, percent, shortTitle, statusWord, taskTitle } from '../shared/text/format.js';
import { holderKey } from '../live/lease.js';
import { meter } from '../shared/ui/meter.js';
import { isolated } from '../shared/ui/service_text.js';
import { morph } from '../shared/ui/morph.js';
import { whyLine } from './why_line.js';
import { meters } from './limit_meters.js';
import { deniedBy, isDeclined } from '../chat/run_end.js';
import { isActive, isResting, standsStill } from '../shared/run_status.js';
import { shortNumber } from '../shared/text/locale.js';
import { ownOrigin } from '../transport/service.js';

class Runbar extends HTMLElement {
  #t = null;
  #parts = null;
  #runId = null;

  update({ t, run, lease, asked, connection, isReplay, liveRun, mine: windows, talks, board, beside, title, questionCount, limits, why, child, savable, loading }) {
    if (!run) return;
    if (this.#t !== t) this.#draw(t);
    const p = this.#parts;
    // A child may ask while the rest is running.
    const status = isActive(liveRun.status) && liveRun.status !== 'paused' && questionCount > 0 ? 'waiting' : isResting(liveRun.status, questionCount > 0) ? 'resting' : liveRun.status;
    const named = t.titled(title, run.agent);
    const shown = shortTitle(named, ownOrigin(), t) || t.agent(run.agent ?? '') || t('runs.untitled');
    if (p.title.textContent !== shown) p.title.replaceChildren(...isolated(shown));
    p.title.title = taskTitle(named, ownOrigin());
    const isUnknown = loading && liveRun.startedAt === null; // nothing has been read of the task yet
    const holder = isActive(liveRun.status) ? holderKey(lease, status, windows) ?? (liveRun.inLine && status === 'running' ? 'line' : null) : null;
    const stands = standsStill(why);
    p.status.dataset.status = isReplay ? 'replay' : stands ? 'queued' : holder === 'yours' ? 'mine' : holder === 'line' ? 'queued' : holder ? 'held' : status;
    setText(p.statusText, isReplay ? t('replay.now') : stands ? t('status.stands') : isUnknown ? t('loading') : holder ? t(holder === 'line' ? 'status.line' : `holder.${holder}`) : statusWord(status, t));
    setText(p.steps, run.usage.maxSteps ? t('steps.of', { n: run.usage.steps, max: run.usage.maxSteps }) : t('steps', { n: run.usage.steps }));
    this.#budget(t, run, limits);
    p.steps.hidden = !talks || isUnknown; // steps are counted for conversations
    this.#buttons(t, isUnknown, liveRun, beside !== 'none' && (talks || board?.hasPage) ? lease : { ...lease, possible: false }, asked, connection.state === 'open');
    p.again.hidden = isUnknown || isActive(status);
    p.keep.hidden = !savable; // independent of the replayed moment
    p.inside.hidden = !run.runId;
    p.inside.href = `#/inside/${run.progress.runs[child] ? child : run.runId}`;
    morph(p.why, why && !isReplay ? whyLine(t, why, 'run-why', deniedBy(liveRun.entries), isDeclined(liveRun.entries)) : null);
    this.#runId = run.runId;
  }

  // Shows a bar for each limit, in the warning colour from 80 %.
  #budget(t, run, limits) {
    const { tokens, money } = meters(run, limits);
    const { inputTokens: input, cachedTokens: cached, outputTokens: output, calls } = run.usage;
    this.#meter(t, this.#parts.tokens, 'tokens', tokens, t(run.usage.estimated ? 'tokens.about' : 'tokens', { n: shortNumber(tokens.used, t.locale) }));
    this.#meter(t, this.#parts.money, 'money', money, run.usage.unpriced === 0 ? amount('money', money.used, t) : t('money.least', { amount: amount('money', money.used, t) }));
    this.#parts.money.title = run.usage.unpriced === 0 ? '' : t('money.unpriced', { n: run.usage.unpriced });
    this.#parts.tokens.title = [t('tokens.detail', { input, cached, output, calls }), run.usage.estimated ? t('tokens.estimated') : ''].join(' ').trim();
  }

  #meter(t, node, name, { used, most, part, warns }, plain) {
    node.hidden = used === 0;
    const words = most === null ? plain : t(`budget.${name}.of`, { used: amount(name, used, t), most: amount(name, most, t) });
    if (node.dataset.words === words) return;
    node.dataset.words = words;
    node.toggleAttribute('data-warns', warns);
    node.replaceChildren(h('span', { class: 'counter-words' }, words), ...(part === null ? [] : [' ', meter({ part, warns }, t(`budget.label.${name}`)), h('span', { class: 'counter-part', 'aria-hidden': 'true' }, percent(part))]));
  }

  #buttons(t, isUnknown, { status, inLine }, lease, asked, online) {
    const p = this.#parts;
    const active = !isUnknown && isActive(status);
    p.stop.hidden = !active;
    p.pause.hidden = !active || status === 'paused' || lease.holder !== null;
    p.resume.hidden = status !== 'paused' || lease.holder !== null; // hand back first
    p.takeOver.hidden = !(active && lease.possible && lease.holder === null) || inLine; // without a slot there is no page
    p.handBack.hidden = !(active && lease.mine);
    for (const button of [p.stop, p.pause, p.resume, p.takeOver, p.handBack]) button.disabled = !online;
    for (const [button, name, label] of [[p.takeOver, 'take_over', 'lease.take'], [p.pause, 'pause', 'pause']]) {
      const waits = asked === name; // both wait for the end of the running step
      button.disabled ||= waits;
      setText(button.querySelector('span'), t(waits ? 'control.waits' : label));
    }
  }

  #draw(t) {
    this.#t = t;
    const command = (name, symbol, label, kind = '') =>
      h('button', { class: `small ${kind}`, hidden: true, data: { testid: name.replace('_', '-') }, onclick: () => intent(this, 'control', { command: name }) }, icon(symbol), h('span', {}, label));
    const statusText = h('span', {});
    const p = {
      title: h('h1', { class: 'run-name', tabindex: '-1' }),
      statusText,
      status: h('span', { class: 'status-pill', data: { testid: 'status' }, role: 'status' }, h('span', { class: 'state-dot', 'aria-hidden': 'true' }), statusText),
      steps: h('span', { class: 'counter' }),
      tokens: h('span', { class: 'counter', data: { testid: 'tokens' } }),
      money: h('span', { class: 'counter', data: { testid: 'money' } }),
      why: h('div', { class: 'runbar-why' }),
      inside: h('a', { class: 'button small', hidden: true, data: { testid: 'inside' } }, icon('timeline'), h('span', {}, t('in.title'))),
      takeOver: command('take_over', 'hand', t('lease.take')),
      handBack: command('hand_back', 'return', t('lease.give'), 'accent'),
      pause: command('pause', 'pause', t('pause')),
      resume: command('resume', 'play', t('resume'), 'accent'),
      stop: command('stop', 'stop', t('stop'), 'danger'),
      keep: h('button', { class: 'small', hidden: true, data: { testid: 'keep' }, onclick: () => intent(this, 'offerAgent', { run: this.#runId }) }, icon('lanes'), h('span', {}, t('keep'))),
      again: h('button', { class: 'small', hidden: true, data: { testid: 'again' }, onclick: () => intent(this, 'runAgain', { run: this.#runId }) }, icon('play'), h('span', {}, t('again'))),
    };
    p.stop.title = t('stop.key');
    p.stop.setAttribute('aria-keyshortcuts', 'Escape');
    this.#parts = p;
    this.replaceChildren(
      h('div', { class: 'runbar-head' }, p.title, h('div', { class: 'runbar-facts' }, p.status, p.steps, p.tokens, p.money)),
      h('div', { class: 'runbar-controls', role: 'group', 'aria-label': t('controls') }, p.takeOver, p.handBack, p.pause, p.resume, p.stop, p.keep, p.again, p.inside),
      p.why,
    );
  }
}

customElements.define('af-runbar', Runbar);
