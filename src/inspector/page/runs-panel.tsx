import type { RunRow } from '../api.types.ts';
import { selectRun } from './actions.ts';
import { duration } from './format.ts';
import {
  connection,
  matches,
  newest,
  runs,
  say,
  search,
  selectedRun,
  statusFilter,
} from './state.ts';

const CHIPS = ['', 'waiting', 'running', 'suspended', 'done', 'failed', 'cancelled'] as const;

export function RunsPanel() {
  const all = runs.value;
  const found = (search.value.trim() === '' ? all : (matches.value ?? all)) ?? [];
  const listed = found.filter(
    ({ status }) => statusFilter.value === '' || status === statusFilter.value,
  );
  return (
    <nav class="panel runs" aria-label={say('runs')}>
      <h2>{say('runs')}</h2>
      <input
        type="search"
        id="search"
        aria-label={say('search')}
        placeholder={say('searchHint')}
        value={search.value}
        onInput={({ currentTarget }) => {
          search.value = currentTarget.value;
        }}
      />
      <div class="chips">
        {CHIPS.map((status) => (
          <button
            key={status}
            type="button"
            class="chip"
            aria-pressed={statusFilter.value === status}
            onClick={() => {
              statusFilter.value = status;
            }}
          >
            {say(status === '' ? 'all' : status)}
          </button>
        ))}
      </div>
      {all === null ? (
        connection.value !== 'unauthorized' && <p class="dim">{say('loading')}</p>
      ) : all.length === 0 ? (
        <div class="empty">
          <p>{say('noRuns')}</p>
          <p>{say('startRun')}</p>
        </div>
      ) : listed.length === 0 ? (
        <p class="dim">{say('noMatch')}</p>
      ) : (
        <ul>
          {listed.map((row) => (
            <RunItem key={row.runId} row={row} />
          ))}
        </ul>
      )}
      {newest.value !== null && <p class="dim">{say('onlyNewest', { count: newest.value })}</p>}
    </nav>
  );
}

function RunItem({ row }: { row: RunRow }) {
  const status = row.shownStatus;
  return (
    <li>
      <button
        type="button"
        class="run"
        aria-current={selectedRun.value === row.runId}
        onClick={() => selectRun(row.runId)}
      >
        <span class="run-prompt">{row.prompt}</span>
        <span class={`run-status text-${status}`}>
          <span class="dot" aria-hidden="true" />
          {say(status)} · {duration(row.updatedAt - row.createdAt)} · {row.runId.slice(0, 8)}
        </span>
      </button>
    </li>
  );
}
