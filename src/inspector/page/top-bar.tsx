import { useSignal } from '@preact/signals';
import type { RunRow, RunState } from '../api.types.ts';
import { stopRun } from './actions.ts';
import { count } from './format.ts';
import {
  connection,
  hasEnded,
  helpIsOpen,
  isLive,
  locale,
  run,
  say,
  shown,
  THEMES,
  theme,
} from './state.ts';

export function StatePill({ row }: { row: RunRow }) {
  const status = row.shownStatus;
  return (
    <span class={`pill pill-${status}`}>
      <span class="dot" aria-hidden="true" />
      {say(status)}
    </span>
  );
}

export function TopBar() {
  const now = run.value;
  return (
    <header class="top">
      <h1>{say('title')}</h1>
      {now !== null && <RunTitle now={now} />}
      <span class="spacer" />
      {now !== null && !hasEnded(now) && <StopButton />}
      <button
        type="button"
        onClick={() => {
          theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'auto';
        }}
      >
        {say('theme')}: {say(theme.value)}
      </button>
      <button
        type="button"
        lang={locale.value === 'zh' ? 'en' : 'zh-CN'}
        onClick={() => {
          locale.value = locale.value === 'zh' ? 'en' : 'zh';
        }}
      >
        {say('language')}
      </button>
      <button
        type="button"
        aria-label={say('help')}
        onClick={() => {
          helpIsOpen.value = true;
        }}
      >
        ?
      </button>
    </header>
  );
}

function RunTitle({ now }: { now: RunState }) {
  const state = shown.value ?? now;
  const { inputTokens, outputTokens, reported } = state.usage;
  const part = (value: number | 'unknown', least: number) =>
    value === 'unknown' ? `≥${count(least)}` : count(value);
  return (
    <>
      <span class="run-title" title={now.summary.prompt}>
        <span class="dim">{now.summary.runId.slice(0, 8)}</span> {now.summary.prompt}
      </span>
      <StatePill row={now.summary} />
      {!isLive.value && <span class="pill pill-past">{say('past')}</span>}
      <span class="figures">
        {say('turn')} {state.turn} · {say('tokensShort')} {part(inputTokens, reported.inputTokens)}→
        {part(outputTokens, reported.outputTokens)}
      </span>
    </>
  );
}

/** Stop asks once more in place: it cannot be taken back. */
function StopButton() {
  const asked = useSignal(false);
  return (
    <button
      type="button"
      class="danger"
      onBlur={() => {
        asked.value = false;
      }}
      onClick={({ detail }) => {
        // The second click of a double click answers nothing.
        if (detail > 1) return;
        if (asked.value) stopRun();
        asked.value = !asked.value;
      }}
    >
      {say(asked.value ? 'stopSure' : 'stop')}
    </button>
  );
}

/** What is wrong between the page and its server, in words. */
export function ConnectionBar() {
  const state = connection.value;
  const words = state === 'lost' || state === 'unauthorized' ? say(state) : '';
  return (
    <div role="alert" class={words === '' ? 'hidden' : `banner banner-${state}`}>
      {words}
    </div>
  );
}
