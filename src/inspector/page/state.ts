import { batch, computed, effect, signal } from '@preact/signals';
import type {
  ChartLayout,
  CoverageFile,
  RunRow,
  RunState,
  StepDetail,
  StepRow,
} from '../api.types.ts';
import { isTextName, type Locale, type TextName, textOf } from './texts.ts';

export type Connection = 'connecting' | 'open' | 'lost' | 'unauthorized';

export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** A choice kept by the browser, if it is one of these and storage is allowed. */
function stored<Choice extends string>(key: string, choices: readonly Choice[]): Choice | null {
  try {
    const kept = localStorage.getItem(`agenthub.${key}`);
    return choices.find((choice) => choice === kept) ?? null;
  } catch {
    return null;
  }
}

function keep(key: string, choice: string): void {
  try {
    localStorage.setItem(`agenthub.${key}`, choice);
  } catch {
    // The choice lasts as long as the page.
  }
}

export const locale = signal<Locale>(
  stored('locale', ['zh', 'en']) ?? (navigator.language.startsWith('zh') ? 'zh' : 'en'),
);
export const theme = signal<Theme>(stored('theme', THEMES) ?? 'auto');

export const connection = signal<Connection>('connecting');
export const runs = signal<readonly RunRow[] | null>(null);
/** How many runs are listed at most, where there are more. */
export const newest = signal<number | null>(null);
export const search = signal('');
export const statusFilter = signal('');
/** The ids that match the search; null while there is none. */
export const matches = signal<readonly RunRow[] | null>(null);

export const selectedRun = signal<string | null>(null);
export const run = signal<RunState | null>(null);
export const steps = signal<readonly StepRow[]>([]);
/** Why something cannot be had, as the server says it. */
export interface Problem {
  readonly code: string;
  readonly message: string;
}

/** Why the run cannot be shown, or null. */
export const runProblem = signal<Problem | null>(null);

/** The step that every panel shows; null for live. */
export const selectedSeq = signal<number | null>(null);
export const detail = signal<StepDetail | null>(null);

/** What the pointer is on, lit in every panel. */
export const hovered = signal<{
  readonly seq?: number;
  readonly state?: string;
  readonly transitions?: readonly number[];
} | null>(null);

export const stateFilter = signal('');
export const failedOnly = signal(false);
export const hideHooks = signal(false);

export const layout = signal<ChartLayout | null>(null);
/** `null`: not asked for yet; `'none'`: there is none. */
export const coverage = signal<CoverageFile | 'none' | null>(null);
export const chartTab = signal<'chart' | 'coverage'>('chart');
export const helpIsOpen = signal(false);
/** Said once, politely: what became of a command. */
export const notice = signal('');

export const isLive = computed(() => selectedSeq.value === null);

/** The run as the panels show it: now, or as it stood at the selected step. */
export const shown = computed<RunState | null>(() => {
  const seq = selectedSeq.value;
  if (seq === null) return run.value;
  return detail.value?.row.seq === seq ? detail.value.run : null;
});

export const currentStep = computed<StepRow | null>(() => {
  const all = steps.value;
  return all[selectedSeq.value ?? all.length - 1] ?? null;
});

export const currentState = computed(() => currentStep.value?.state ?? '');

/** How often each transition was taken up to the selected step. */
export const counts = computed<ReadonlyMap<number, number>>(() => {
  const taken = new Map<number, number>();
  const last = selectedSeq.value ?? Number.POSITIVE_INFINITY;
  for (const { seq, transitions } of steps.value) {
    if (seq > last) break;
    for (const index of transitions) taken.set(index, (taken.get(index) ?? 0) + 1);
  }
  return taken;
});

export const visibleSteps = computed(() => {
  const state = stateFilter.value;
  return steps.value.filter(
    (row) =>
      (!failedOnly.value || row.failed) &&
      (!hideHooks.value || row.kind !== 'hook') &&
      (state === '' || row.state === state || row.state.startsWith(`${state}.`)),
  );
});

/** The open questions that are not answered yet. */
export const openQuestions = computed(() =>
  (run.value?.questions ?? []).filter(({ answered }) => answered === null),
);

export function say(name: TextName, values?: Readonly<Record<string, string | number>>): string {
  return textOf(locale.value, name, values);
}

const WORDS: Readonly<Record<string, TextName>> = {
  granted: 'wasGranted',
  denied: 'wasDenied',
  cancelled: 'wasCancelled',
  resumed: 'wasResumed',
  'nobody answered in time': 'nobodyAnswered',
};
const GIVERS: Readonly<Record<string, TextName>> = {
  web: 'byWeb',
  terminal: 'byTerminal',
  'command line': 'byCommand',
};

/** What a row tells; what a person did, in the language of the page. */
export function whatOf({ kind, what }: Pick<StepRow, 'kind' | 'what'>): string {
  if (kind !== 'person') return what;
  const inWords = (text: string, words: typeof WORDS) => {
    const name = Object.hasOwn(words, text) ? words[text] : undefined;
    return name === undefined ? text : say(name);
  };
  const [act = '', by] = what.split(/ · ([^]*)/u);
  const [word = '', call] = Object.hasOwn(WORDS, act) ? [act] : act.split(/ ([^]*)/u);
  const done = [inWords(word, WORDS), ...(call === undefined ? [] : [call])].join(' ');
  return by === undefined ? done : `${done} · ${inWords(by, GIVERS)}`;
}

/** A problem in the language of the page, where there are words for it. */
export function wordsFor({ code, message }: Problem): string {
  return isTextName(code) ? say(code) : message;
}

/** Whether a run has ended: it cannot go on, and nothing about it can be stopped. */
export function hasEnded({ summary }: RunState): boolean {
  return ['done', 'failed', 'cancelled'].includes(summary.status);
}

/** Keeps choices, the document's language and theme, and the badge in the title. */
export function keepDocument(): void {
  effect(() => {
    keep('locale', locale.value);
    document.documentElement.lang = locale.value === 'zh' ? 'zh-CN' : 'en';
  });
  effect(() => {
    keep('theme', theme.value);
    document.documentElement.dataset.theme = theme.value;
  });
  effect(() => {
    const open = (runs.value ?? []).filter(({ status }) => status === 'waiting').length;
    const count = Math.max(openQuestions.value.length, open);
    document.title = `${count > 0 ? `(${count}) ` : ''}${say('title')}`;
  });
}

/** Forgets what belongs to a run. */
export function clearRun(): void {
  batch(() => {
    run.value = null;
    steps.value = [];
    runProblem.value = null;
    selectedSeq.value = null;
    detail.value = null;
    hovered.value = null;
    notice.value = '';
  });
}
