import { computed, signal } from '@preact/signals';
import type { CoverageFile } from '../api.types.ts';
import { fit } from './chart-view.ts';
import { counts, coverage, hovered, layout, say } from './state.ts';

/** Every transition with its words, in the order of the chart. */
const transitions = computed(() =>
  (layout.value?.edges ?? [])
    .flatMap(({ source, target, transitions: all, labels }) =>
      all.map((index, row) => ({ index, source, target, text: labels[row]?.text ?? '' })),
    )
    .toSorted((a, b) => a.index - b.index),
);

/** The path that is opened, by its place in the list; its edges stay lit. */
const opened = signal<number | null>(null);

/** What generated paths covered, as lists: the chart shows the same by colour. */
export function CoverageList() {
  const file = coverage.value;
  if (file === null) return <p class="dim">{say('loading')}</p>;
  if (file === 'none') return <p class="note">{say('noCoverage')}</p>;
  const { taken, paths, witnesses } = file;
  const covered = taken.filter((times) => times > 0).length;
  return (
    <>
      <details class="coverage">
        <summary>{say('coverageSum', { covered, all: taken.length, paths })}</summary>
        <div class="coverage-table" tabIndex={0} role="group" aria-label={say('coverage')}>
          <TransitionTable taken={taken} />
        </div>
      </details>
      <details class="coverage">
        <summary>{say('pathsSum', { count: witnesses.length })}</summary>
        <ol class="coverage-table">
          {witnesses.map((witness, index) => (
            <PathItem key={index} witness={witness} index={index} />
          ))}
        </ol>
      </details>
    </>
  );
}

function TransitionTable({ taken }: Pick<CoverageFile, 'taken'>) {
  return (
    <table>
      <thead>
        <tr>
          <th>{say('transition')}</th>
          <th>{say('times')}</th>
          <th>{say('thisRun')}</th>
        </tr>
      </thead>
      <tbody>
        {transitions.value.map(({ index, text }) => (
          <tr key={index}>
            <td>
              {endsOf(index)} <span class="dim">{text}</span>
            </td>
            <td>
              {(taken[index] ?? 0) > 0 ? `${say('covered')} ×${taken[index]}` : say('uncovered')}
            </td>
            <td>{counts.value.has(index) ? `×${counts.value.get(index)}` : ''}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type Witness = CoverageFile['witnesses'][number];

/** A path: lit in the chart while it is pointed at or open. */
function PathItem({ witness, index }: { witness: Witness; index: number }) {
  const { steps, transitions: taken, first } = witness;
  const isOpen = opened.value === index;
  const light = () => {
    hovered.value = { transitions: taken };
  };
  const dim = () => {
    const still = opened.value === null ? undefined : listed()[opened.value];
    hovered.value = still === undefined ? null : { transitions: still.transitions };
  };
  return (
    <li onMouseEnter={light} onMouseLeave={dim}>
      <button
        type="button"
        class="path"
        aria-expanded={isOpen}
        onFocus={light}
        onBlur={dim}
        onClick={() => {
          opened.value = isOpen ? null : index;
          if (!isOpen) fit();
        }}
      >
        {say('pathOf', { count: steps.length })}{' '}
        <span class="dim">{first.map(endsOf).join(', ')}</span>
      </button>
      {isOpen && (
        <ol class="path-steps">
          {steps.map((step, place) => (
            <li key={place}>
              <code>{step}</code>
            </li>
          ))}
        </ol>
      )}
    </li>
  );
}

function listed(): readonly Witness[] {
  const file = coverage.peek();
  return file === null || file === 'none' ? [] : file.witnesses;
}

/** Where a transition leads from and to. */
function endsOf(index: number): string {
  const found = transitions.value.find((transition) => transition.index === index);
  if (found === undefined) return String(index);
  return `${found.source.replace('@anywhere', say('anyState'))} → ${found.target}`;
}
