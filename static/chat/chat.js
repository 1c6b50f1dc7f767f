// Transcript. Draws only new and changed entries (by identity), and follows the end unless the person has
// scrolled up.

import { h, icon, setText } from '../shared/ui/dom.js';
import { drawEntry } from './entry.js';
import { morph } from '../shared/ui/morph.js';
import { isWriting } from './drafts.js';
import { isResting, standsStill } from '../shared/run_status.js';

const BULK = 12; // entries in a single drawing
const NEAR_END = 80; // px from the end that still count as "at the end"

/** Reports whether a message is being written, or has been: what follows is not the next step. */
const isAnswered = (entries) => isWriting(entries) || entries.at(-1)?.final === true;

class Chat extends HTMLElement {
  #t = null;
  #rootId = null;
  #agents = null;
  #entries = null;
  #drawn = new Map(); // entry key -> { entry, node }
  #log = null;
  #jump = null;
  #note = null;
  #following = true;
  #settling = false;
  #top = 0;

  connectedCallback() {
    if (this.#log) return;
    this.#log = h('div', { class: 'log', role: 'log', 'aria-live': 'off', tabindex: '0' });
    this.#note = h('p', { class: 'log-note', hidden: true });
    this.#jump = h('button', { class: 'small jump', hidden: true, onclick: () => this.#toEnd(true) }, icon('down'), h('span', {}));
    new ResizeObserver(() => this.#following && this.#toEnd(false)).observe(this.#log);
    this.#log.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    this.append(this.#log, this.#jump);
  }

  update({ t, run, entries, current, child, isReplay, loading, connection, talks, agents, why }) {
    if (!run) return;
    const shown = child ?? current;
    const named = this.#agents !== agents && entries.some(({ kind }) => kind === 'child' || kind === 'call'); // titles of agents arrived later
    this.#agents = agents;
    if (this.#t !== t || this.#rootId !== shown || named) this.#reset(t, shown);
    this.#drawEntries(t, entries);
    this.dataset.talks = String(talks); // without a message field the text does not invite to write
    this.#showNote(t, run, loading, connection, isReplay || !talks || standsStill(why));
    if (this.#following || isReplay) this.#toEnd(false);
  }

  #drawEntries(t, entries) {
    if (entries === this.#entries) return;
    this.#entries = entries;
    // Entries that arrive in bulk are old; only new ones are animated.
    this.#log.toggleAttribute('data-bulk', entries.length - this.#drawn.size > BULK);
    // Removed first, so that the node of a draft is not moved when thoughts take the place of the line before it.
    this.#forget(new Set(entries.map(({ key }) => key)));
    let before = null;
    for (const entry of entries) {
      const node = this.#node(entry, t);
      const place = before ? before.nextSibling : this.#log.firstChild;
      if (node !== place) this.#log.insertBefore(node, place);
      before = node;
    }
    if (this.#log.lastChild !== this.#note) this.#log.append(this.#note);
  }

  #node(entry, t) {
    const known = this.#drawn.get(entry.key);
    if (known?.entry === entry) return known.node;
    const node = drawEntry(entry, t);
    if (known && (entry.kind === 'call' || known.entry.draft)) return this.#kept(known, entry, node);
    if (known) {
      node.dataset.kept = ''; // was shown before: no animation
      // An unfolded entry stays unfolded when it changes.
      if (known.node.querySelector('details[open]')) node.querySelector('details')?.setAttribute('open', '');
      known.node.replaceWith(node);
    }
    this.#drawn.set(entry.key, { entry, node });
    return node;
  }

  // Keeps the node of a running call, with what is unfolded in it, and that of a draft, with what is selected in it.
  #kept(known, entry, node) {
    known.entry = entry;
    if (!entry.draft) delete known.node.dataset.draft;
    Object.assign(known.node.dataset, node.dataset, { kept: '' });
    morph(known.node, ...node.childNodes);
    return known.node;
  }

  #forget(seen) {
    for (const [key, { node }] of this.#drawn) {
      if (seen.has(key)) continue;
      node.remove();
      this.#drawn.delete(key);
    }
  }

  #showNote(t, run, loading, connection, isQuiet) {
    const thinking = run.status === 'running' && !run.live.doing && !isQuiet && !isAnswered(run.entries);
    const resting = isResting(run.status, run.questions.length > 0) && !isQuiet;
    const text = connection.state !== 'open' && connection.everOpen ? t('chat.offline') : loading ? t('loading') : thinking ? t(run.inLine ? 'chat.line' : 'chat.thinking') : resting ? t('chat.resting') : '';
    this.#note.hidden = text === '';
    this.#note.dataset.kind = thinking && connection.state === 'open' ? 'thinking' : 'plain';
    setText(this.#note, text);
  }

  #reset(t, rootId) {
    this.#t = t;
    this.#rootId = rootId;
    this.#drawn.clear();
    this.#entries = null;
    this.#log.replaceChildren();
    this.#log.setAttribute('aria-label', t('chat.label'));
    setText(this.#jump.lastChild, t('chat.jump'));
    this.#following = true;
  }

  #scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.#log;
    const below = scrollHeight - scrollTop - clientHeight;
    // Only a person scrolls up; a growing log or a shrinking view does not. The first pixels count, because a message
    // that is being written would scroll back at once.
    if (scrollTop < this.#top - 2 && below > 8) this.#following = false;
    else if (below < NEAR_END) this.#following = true;
    this.#top = scrollTop;
    this.#jump.hidden = this.#following;
  }

  // Scrolls to the end. Entries get their true height in view, which moves the end, so a few frames later it
  // scrolls again.
  #toEnd(byHand, again = 3) {
    if (byHand) this.#following = true;
    this.#log.scrollTop = this.#log.scrollHeight;
    this.#top = this.#log.scrollTop;
    this.#jump.hidden = true;
    if (again === 0 || this.#settling) return;
    this.#settling = true;
    requestAnimationFrame(() => {
      this.#settling = false;
      const { scrollTop, scrollHeight, clientHeight } = this.#log;
      if (this.#following && scrollHeight - scrollTop - clientHeight > 1) this.#toEnd(false, again - 1);
    });
  }
}

customElements.define('af-chat', Chat);
