import { batch, computed, effect, signal } from '@preact/signals';
import type {
  ChartLayout,
  CoverageFile,
  RunRow,
  RunState,
  StepDetail,
  StepRow,
} from '../api.types.ts';
import { type Locale, type TextName, textOf } from './texts.ts';

export type Theme = 'auto' | 'light' | 'dark';
export type Connection = 'connecting' | 'open' | 'lost' | 'unauthorized';

const stored = (key: string) => localStorage.getItem(`agenthub.${key}`);

export const locale = signal<Locale>(
  (stored('locale') as Locale | null) ?? (navigator.language.startsWith('zh') ? 'zh' : 'en'),
);
export const theme = signal<Theme>((stored('theme') as Theme | null) ?? 'auto');

export const connection = signal<Connection>('connecting');
export const runs = signal<readonly RunRow[] | null>(null);
export const search = signal('');
export const statusFilter = signal('');
/** The ids that match the search; null while there is none. */
export const matches = signal<readonly RunRow[] | null>(null);

export const selectedRun = signal<string | null>(null);
export const run = signal<RunState | null>(null);
export const steps = signal<readonly StepRow[]>([]);
/** Why the run cannot be shown, or null. */
export const runProblem = signal<string | null>(null);

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

/** Keeps choices, the document's language and theme, and the badge in the title. */
export function keepDocument(): void {
  effect(() => {
    localStorage.setItem('agenthub.locale', locale.value);
    document.documentElement.lang = locale.value === 'zh' ? 'zh-CN' : 'en';
  });
  effect(() => {
    localStorage.setItem('agenthub.theme', theme.value);
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
