// Filmstrip of a run: a thumbnail for each observation, and a slider over all steps. For live runs (going back,
// then returning to now) and for past ones (replay).

import { h, icon, intent, setText } from '../shared/ui/dom.js';
import { moveStop } from './replay_stops.js';
import { cut } from '../shared/text/format.js';
import { urlOf } from '../transport/service.js';

const PLAY_MS = 900; // pause between two steps of a playing replay
const MOST = 80; // thumbnails kept in the strip

class Filmstrip extends HTMLElement {
  #t = null;
  #parts = null;
  #view = null;
  #shots = null;
  #timer = null;

  update(view) {
    const { t, liveRun, stops, replaySeq, route, board } = view;
    // A single step without a page looks the same at every stop.
    this.hidden = route !== 'run' || !liveRun || stops.length < 2 || (Boolean(board?.isSingle) && liveRun.live.shots.length === 0);
    this.#view = view;
    if (this.hidden) return this.#pause();
    if (this.#t !== t) this.#draw(t);
    const p = this.#parts;
    const here = replaySeq === null ? stops.length - 1 : Math.max(0, stops.findLastIndex((stop) => stop <= replaySeq));
    p.slider.max = String(stops.length - 1);
    p.slider.value = String(here);
    p.slider.setAttribute('aria-valuetext', t('replay.at', { n: here + 1, max: stops.length }));
    setText(p.where, t('replay.at', { n: here + 1, max: stops.length }));
    p.back.disabled = here === 0;
    p.forward.disabled = here === stops.length - 1;
    p.now.hidden = replaySeq === null;
    this.#thumbs(t, liveRun.live.shots, replaySeq);
    return undefined;
  }

  /** Drops the pictures and the replay of the previous task. */
  leave() {
    this.#pause();
    this.#shots = null;
    this.#parts?.strip.replaceChildren();
  }

  #draw(t) {
    this.#t = t;
    this.#shots = null;
    const button = (symbol, label, onclick, kind = 'quiet square') => h('button', { class: kind, 'aria-label': label, title: label, onclick }, icon(symbol));
    const p = {
      back: button('prev', t('replay.back'), () => this.#move(-1)),
      play: button('play', t('replay.play'), () => this.#toggle()),
      forward: button('next', t('replay.forward'), () => this.#move(1)),
      slider: h('input', { type: 'range', min: '0', step: '1', 'aria-label': t('replay.slider'), oninput: (event) => this.#goto(this.#view.stops[Number(event.target.value)]) }),
      where: h('span', { class: 'where' }),
      now: h('button', { class: 'small accent', onclick: () => { this.#pause(); intent(this, 'replay', { seq: null }); } }, t('replay.end')),
      strip: h('div', { class: 'strip', role: 'group', 'aria-label': t('replay.pictures') }),
    };
    this.#parts = p;
    this.replaceChildren(h('div', { class: 'transport' }, p.back, p.play, p.forward, p.slider, p.where, p.now), p.strip);
  }

  #thumbs(t, shots, replaySeq) {
    const strip = this.#parts.strip;
    if (this.#shots !== shots) this.#fill(t, strip, shots);
    const seq = replaySeq ?? Infinity;
    const shown = shots.findLast((shot) => shot.seq <= seq)?.seq;
    const before = strip.querySelector('[aria-current]');
    if (Number(before?.dataset.seq) === shown) return;
    before?.removeAttribute('aria-current');
    const now = strip.querySelector(`[data-seq="${shown}"]`);
    now?.setAttribute('aria-current', 'true');
    if (now) this.#reveal(now);
  }

  // Keeps existing pictures and adds new ones.
  #fill(t, strip, shots) {
    const first = Math.max(0, shots.length - MOST);
    const had = new Map([...strip.children].map((thumb) => [thumb.dataset.seq, thumb]));
    const wanted = shots.slice(first);
    const fresh = !wanted.some((shot) => had.has(String(shot.seq)));
    if (fresh) strip.replaceChildren();
    while (!fresh && strip.firstChild && Number(strip.firstChild.dataset.seq) < wanted[0].seq) strip.firstChild.remove();
    wanted.forEach((shot, i) => {
      if (fresh || !had.has(String(shot.seq))) strip.append(this.#thumb(t, shot, first + i + 1));
    });
    this.#shots = shots;
  }

  #thumb(t, shot, n) {
    const title = cut(shot.title, 60);
    return h('button', { class: 'thumb', data: { seq: String(shot.seq) }, 'aria-label': t('replay.picture', { n, title }), title, onclick: () => this.#goto(shot.seq) },
      h('img', { src: urlOf(shot.picture), alt: '', loading: 'lazy', decoding: 'async', width: '128', height: '72' }));
  }

  #reveal(thumb) {
    const strip = this.#parts.strip;
    strip.scrollTo({ left: thumb.offsetLeft - strip.clientWidth / 2 + thumb.clientWidth / 2 });
  }

  #goto(seq) {
    const last = this.#view.stops.at(-1);
    intent(this, 'replay', { seq: seq >= last ? null : seq });
  }

  #move(by) {
    this.#goto(moveStop(this.#view.stops, this.#view.replaySeq, by));
  }

  #toggle() {
    if (this.#timer) return this.#pause();
    // At the end, playing starts again from the beginning.
    if (this.#view.replaySeq === null) this.#goto(this.#view.stops[0]);
    this.#timer = setInterval(() => (this.#view.replaySeq === null ? this.#pause() : this.#move(1)), PLAY_MS);
    this.#playing(true);
    return undefined;
  }

  #pause() {
    clearInterval(this.#timer);
    this.#timer = null;
    if (this.#parts) this.#playing(false);
  }

  #playing(on) {
    const label = this.#t(on ? 'replay.pause' : 'replay.play');
    this.#parts.play.replaceChildren(icon(on ? 'pause' : 'play'));
    this.#parts.play.setAttribute('aria-label', label);
    this.#parts.play.title = label;
  }
}

customElements.define('af-filmstrip', Filmstrip);
