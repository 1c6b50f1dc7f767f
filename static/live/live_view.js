// Live page: pictures on a canvas, with the pointer and the target of the running action over them. In a
// replay, the stored picture of the step.

import { h, icon, intent, setText } from '../shared/ui/dom.js';
import { fileLink } from '../files/file_list.js';
import { shortUrl, cut } from '../shared/text/format.js';
import { doingLine } from '../shared/text/action_text.js';
import { isActive } from '../shared/run_status.js';
import { PersonInput } from './take_over/person_input.js';
import { urlOf } from '../transport/service.js';

const RATIO = 1280 / 720; // until the first picture arrives

class Live extends HTMLElement {
  #t = null;
  #parts = null;
  #context = null;
  #personInput = null;
  #rootId = null;
  #lastFrame = null; // ImageBitmap of the newest live picture of this run
  #still = null; // URL of the shown stored picture
  #mode = 'empty'; // empty | file | live | still
  #file = null; // opened file that the browser does not show
  #replaying = false;
  #asked = null; // last open question
  #width = 0; // width of the canvas; measured on changes, because measuring costs a layout

  update({ t, run, current, isReplay, lease, dialog, held, question, connection, collapsed }) {
    if (!run) return;
    if (this.#t !== t) this.#draw(t);
    this.#rootId = current;
    this.#replaying = isReplay;
    this.dataset.collapsed = String(collapsed);
    this.#address(t, run.live, collapsed);
    this.#overlay(run.live);
    this.#caption(t, run);
    this.#surface(t, run);
    const holds = lease.mine && !isReplay && connection.state === 'open';
    // Dialogs close before the live page takes the focus back.
    this.#parts.dialog.update(t, dialog);
    this.#parts.chooser.update(t, holds && !dialog ? held?.chooser ?? null : null);
    this.#personInput.enable(holds && !dialog && !held?.chooser);
    this.toggleAttribute('data-mine', holds);
    this.#parts.bar.hidden = !holds;
    if (holds) this.#parts.bar.update(t, held);
    this.#makeRoomFor(question, holds);
  }

  /** Draws one live picture; resolves when it is drawn or skipped. */
  async show(picture) {
    const rootId = this.#rootId;
    const bitmap = await createImageBitmap(new Blob([picture.bytes], { type: picture.type })).catch(() => null);
    if (!bitmap || rootId !== this.#rootId) return;
    this.#lastFrame?.close();
    this.#lastFrame = bitmap;
    if (this.#replaying || this.#file) return;
    this.#paint(bitmap, picture.width / picture.height);
    this.#become('live');
  }

  get pictureWidth() {
    return Math.round((this.#width || 800) * Math.min(2, devicePixelRatio || 1));
  }

  /** Forgets the picture of the previous task. */
  leave() {
    this.#rootId = null; // ignores a picture that is still being decoded
    this.#lastFrame?.close();
    this.#lastFrame = null;
    this.#still = null;
    const canvas = this.#parts?.canvas;
    if (canvas) this.#context.clearRect(0, 0, canvas.width, canvas.height);
    this.#become('empty');
  }

  // Selects the picture: live, or the stored one of the step.
  #surface(t, run) {
    this.#parts.canvas.setAttribute('aria-label', run.live.title ? t('live.of', { title: run.live.title }) : t('live.label'));
    this.#showFile(t, run.live.file);
    if (this.#file) return this.#become('file');
    const settled = !isActive(run.status) && run.live.picture; // the last observation is newer than the last frame
    if (!this.#replaying && this.#lastFrame && !settled) {
      if (this.#mode !== 'live') this.#paint(this.#lastFrame);
      return this.#become('live');
    }
    if (!run.live.picture) return this.#become('empty');
    if (this.#still === run.live.picture && this.#mode !== 'live') return undefined;
    return this.#loadStill(run.live.picture);
  }

  // Shows the opened file in place of a page.
  #showFile(t, file) {
    if (this.#file === file) return;
    this.#file = file;
    this.#parts.empty.replaceChildren(...(file ? [icon('file'), h('p', {}, t('live.file')), fileLink(file.runId, file, t)] : this.#nothing(t)));
  }

  #nothing(t) {
    return [icon('window'), h('p', {}, t('live.empty'))];
  }

  #loadStill(url) {
    this.#mode = 'loading';
    this.#still = url;
    const image = new Image();
    image.onload = () => {
      if (this.#still !== url || this.#mode === 'live') return;
      this.#paint(image);
      this.#become('still');
    };
    image.src = urlOf(url);
  }

  #become(mode) {
    this.#mode = mode;
    this.dataset.mode = mode;
    if (mode === 'live') this.#still = null;
    if (this.#parts) this.#parts.empty.hidden = mode !== 'empty' && mode !== 'file';
  }

  #paint(source, ratio = source.width / source.height) {
    const { canvas, stage } = this.#parts;
    if (canvas.width !== source.width || canvas.height !== source.height) {
      canvas.width = source.width;
      canvas.height = source.height;
    }
    stage.style.setProperty('--ratio', String(ratio || RATIO));
    this.#context.drawImage(source, 0, 0);
  }

  #address(t, live, collapsed) {
    const { host, path, toggle } = this.#parts;
    const url = live.url ?? live.file?.url;
    const [first, ...rest] = url ? shortUrl(url).split('/') : [''];
    setText(host, first || t(live.isHeldByPerson ? 'live.away' : 'live.nopage'));
    setText(path, [rest.length ? `/${rest.join('/')}` : '', live.broken ? t('live.broken') : ''].filter(Boolean).join(' · '));
    toggle.setAttribute('aria-expanded', String(!collapsed));
    toggle.setAttribute('aria-label', t(collapsed ? 'live.expand' : 'live.collapse'));
  }

  #overlay({ target, pointer }) {
    const { outline, cursor, stage } = this.#parts;
    outline.hidden = !target;
    stage.toggleAttribute('data-target', Boolean(target));
    if (target) place(outline, target.box);
    cursor.toggleAttribute('data-shown', Boolean(pointer));
    if (pointer) {
      cursor.style.left = `${pointer[0] * 100}%`;
      cursor.style.top = `${pointer[1] * 100}%`;
    }
  }

  #caption(t, run) {
    const { doing } = this.#parts;
    const text = run.live.doing ? doingLine(run.live.doing, t) : run.live.title && !run.live.broken ? cut(run.live.title) : '';
    setText(doing, text);
    doing.dataset.busy = String(Boolean(run.live.doing));
  }

  // Enlarges the page to the whole window, and back. Escape shrinks it unless the page takes that key.
  #enlarge(on = !('large' in this.dataset)) {
    this.toggleAttribute('data-large', on);
    const { large } = this.#parts;
    large.setAttribute('aria-pressed', String(on));
    const label = this.#t(on ? 'live.small' : 'live.large');
    large.setAttribute('aria-label', label);
    large.title = label;
  }

  // Shrinks the page when a question arrives, which it would hide.
  #makeRoomFor(question, holds) {
    const reference = question?.reference ?? null;
    if (reference !== null && reference !== this.#asked && !holds && 'large' in this.dataset) this.#enlarge(false);
    this.#asked = reference;
  }

  connectedCallback() {
    // Runs before the Escape that stops the task (app/escape_key.js), which checks whether the event was
    // handled.
    this.closest('body')?.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || event.shiftKey || event.defaultPrevented || event.isComposing || !('large' in this.dataset)) return;
      event.preventDefault();
      this.#enlarge(false);
    });
  }

  // Requests pictures of a higher resolution for a larger view.
  #sized(width) {
    const grew = this.#width > 0 && width > this.#width * 1.2;
    this.#width = width;
    if (grew) intent(this, 'sized');
  }

  // Toggles twice the size on a phone, where a finger moves the page.
  #zoom() {
    this.#parts.zoom.setAttribute('aria-pressed', String(this.toggleAttribute('data-zoom')));
  }

  #draw(t) {
    this.#t = t;
    this.#file = null;
    this.#personInput?.enable(false);
    const had = this.#parts?.canvas;
    const canvas = had ?? h('canvas', { width: '1280', height: '720', role: 'img', data: { testid: 'live' } });
    if (!had) new ResizeObserver(() => this.#sized(canvas.clientWidth)).observe(canvas);
    this.#context = canvas.getContext('2d', { alpha: false });
    const p = {
      canvas,
      keys: h('textarea', { class: 'keys', 'aria-label': t('live.keys'), autocapitalize: 'off', autocomplete: 'off', spellcheck: 'false', hidden: true }),
      outline: h('div', { class: 'outline', hidden: true, 'aria-hidden': 'true' }),
      cursor: h('div', { class: 'cursor', 'aria-hidden': 'true' }, icon('cursor')),
      empty: h('div', { class: 'stage-empty', hidden: this.#mode !== 'empty' }, this.#nothing(t)),
      dialog: h('af-dialog', { hidden: true }),
      chooser: h('af-chooser', { hidden: true }),
      bar: h('af-held-bar', { hidden: true }),
      give: h('button', { class: 'small give', onclick: () => intent(this, 'control', { command: 'hand_back' }) }, icon('return'), t('lease.give')),
      large: h('button', { class: 'quiet square large', data: { testid: 'live-large' }, onclick: () => this.#enlarge() }, icon('large')),
      host: h('span', { class: 'host' }),
      path: h('span', { class: 'path' }),
      doing: h('p', { class: 'doing' }),
      zoom: h('button', { class: 'quiet square zoom', 'aria-pressed': String('zoom' in this.dataset), 'aria-label': t('live.zoom'), title: t('live.zoom'), onclick: () => this.#zoom() }, icon('zoom')),
      toggle: h('button', { class: 'quiet square toggle', onclick: () => intent(this, 'collapse') }, icon('down')),
    };
    p.stage = h('div', { class: 'stage' }, canvas, p.keys, p.outline, p.cursor, p.empty);
    this.#parts = p;
    const address = h('header', { class: 'address' }, icon('globe'), h('p', { class: 'url' }, p.host, p.path), p.bar, p.give, p.zoom, p.large, p.toggle);
    this.replaceChildren(h('div', { class: 'window' }, address, h('div', { class: 'stage-box' }, p.stage), p.dialog, p.chooser), p.doing);
    this.#enlarge('large' in this.dataset);
    this.#personInput = new PersonInput(canvas, p.keys, (fields) => intent(this, 'input', { fields }));
  }
}

function place(node, [x, y, w, h]) {
  node.style.left = `${x * 100}%`;
  node.style.top = `${y * 100}%`;
  node.style.width = `${w * 100}%`;
  node.style.height = `${h * 100}%`;
}

customElements.define('af-live', Live);
