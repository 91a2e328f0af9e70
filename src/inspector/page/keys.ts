import { selectStep, stepBy } from './actions.ts';
import { helpIsOpen } from './state.ts';

/** What a key does, wherever the focus is, unless somebody is typing. */
const KEYS: Readonly<Record<string, () => void>> = {
  '/': () => document.getElementById('search')?.focus(),
  j: () => stepBy(1),
  k: () => stepBy(-1),
  g: () => selectStep(null),
  '?': () => {
    helpIsOpen.value = !helpIsOpen.value;
  },
};

export function listenToKeys(): void {
  addEventListener('keydown', (event) => {
    const { target, key, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || altKey) return;
    const isText =
      target instanceof HTMLElement &&
      target.matches('input:not([type=range], [type=checkbox]), textarea, select');
    if (isText) {
      if (key === 'Escape') target.blur();
      return;
    }
    const act = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
    if (act === undefined) return;
    event.preventDefault();
    act();
  });
}
