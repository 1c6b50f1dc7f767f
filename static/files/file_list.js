// Folded list of the open task's files, with download links.

import { h, icon } from '../shared/ui/dom.js';
import { fileUrl } from '../transport/api.js';
import { fileSize } from '../shared/text/format.js';

class FileList extends HTMLElement {
  #last = {};

  leave() {
    this.#last = {};
    this.replaceChildren();
  }

  update({ t, files, current, route }) {
    this.hidden = route !== 'run' || files.length === 0;
    if (this.hidden || (this.#last.t === t && this.#last.files === files && this.#last.current === current)) return;
    const open = this.querySelector('details')?.open && this.#last.current === current;
    this.#last = { t, files, current };
    this.replaceChildren(h('details', { class: 'file-list', open },
      h('summary', {}, icon('file'), h('span', {}, t('files.title', { n: files.length })), icon('next')),
      h('ul', {}, files.map((file) => h('li', {}, fileLink(current, file, t))))));
  }
}

/** Link that downloads a file of a run. */
export function fileLink(runId, file, t) {
  const size = fileSize(file.size, t);
  return h('a', { class: 'file-link', href: fileUrl(runId, file.name), download: file.name, 'aria-label': t('files.save', { name: file.name, size }), data: { testid: 'file' } },
    icon('download'), h('span', { class: 'file-name' }, file.name), ' ', h('span', { class: 'file-size' }, size));
}

customElements.define('af-files', FileList);
