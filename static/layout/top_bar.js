// Top bar: brand, connection, language and theme; on a phone also the button of the task list.

import { h, icon, intent, setText } from '../shared/ui/dom.js';

class Topbar extends HTMLElement {
  #t = null;
  #parts = null;

  update({ t, connection, theme, drawerOpen, waitingCount }) {
    if (this.#t !== t) this.#draw(t);
    const { chip, chipText, locale, theme: themeButton, menu, badge } = this.#parts;
    chip.dataset.state = connection.state;
    setText(chipText, t(`connection.${connection.state === 'open' ? 'open' : connection.everOpen ? 'lost' : 'connecting'}`));
    locale.setAttribute('aria-label', `${t('locale.other')}: ${t('locale.switch')}`);
    themeButton.replaceChildren(icon(theme === 'dark' ? 'sun' : 'moon'));
    const label = t(theme === 'dark' ? 'theme.light' : 'theme.dark');
    themeButton.setAttribute('aria-label', label);
    themeButton.title = label;
    menu.setAttribute('aria-expanded', String(drawerOpen));
    menu.setAttribute('aria-label', waitingCount ? `${t('runs.title')}, ${t('status.waiting')}: ${waitingCount}` : t('runs.title'));
    badge.hidden = waitingCount === 0;
    setText(badge, String(waitingCount));
  }

  #draw(t) {
    this.#t = t;
    const chipText = h('span', { class: 'chip-text' });
    const badge = h('span', { class: 'count', 'aria-hidden': 'true' });
    const parts = {
      badge,
      chipText,
      chip: h('span', { class: 'connection', role: 'status' }, h('span', { class: 'dot', 'aria-hidden': 'true' }), chipText),
      menu: h('button', { class: 'quiet square menu', 'aria-expanded': 'false', onclick: () => intent(this, 'drawer') }, icon('menu'), badge),
      locale: h('button', { class: 'quiet locale', data: { testid: 'locale' }, lang: t('locale.other.code'), title: t('locale.switch'), onclick: () => intent(this, 'locale') }, t('locale.other')),
      theme: h('button', { class: 'quiet square', data: { testid: 'theme' }, onclick: () => intent(this, 'theme') }),
    };
    this.#parts = parts;
    const brand = h('a', { class: 'brand', href: '#/new', 'aria-label': t('brand.home') }, icon('mark'), h('span', {}, 'Askfirst'));
    this.replaceChildren(parts.menu, brand, h('span', { class: 'spring' }), parts.chip, parts.locale, parts.theme);
  }
}

customElements.define('af-topbar', Topbar);
