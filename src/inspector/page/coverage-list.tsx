import { computed } from '@preact/signals';
import { counts, coverage, layout, say } from './state.ts';

/** Every transition with its words, in the order of the chart. */
const transitions = computed(() =>
  (layout.value?.edges ?? [])
    .flatMap(({ source, target, transitions: all, labels }) =>
      all.map((index, row) => ({ index, source, target, text: labels[row]?.text ?? '' })),
    )
    .toSorted((a, b) => a.index - b.index),
);

/** What generated paths covered, as a list: the chart shows the same by colour. */
export function CoverageList() {
  const file = coverage.value;
  if (file === null) return <p class="dim">{say('loading')}</p>;
  if (file === 'none') return <p class="note">{say('noCoverage')}</p>;
  const { taken, paths } = file;
  const covered = taken.filter((times) => times > 0).length;
  return (
    <details class="coverage">
      <summary>{say('coverageSum', { covered, all: taken.length, paths })}</summary>
      <div class="coverage-table" tabIndex={0} role="group" aria-label={say('coverage')}>
        <table>
          <thead>
            <tr>
              <th>{say('transition')}</th>
              <th>{say('times')}</th>
              <th>{say('thisRun')}</th>
            </tr>
          </thead>
          <tbody>
            {transitions.value.map(({ index, source, target, text }) => (
              <tr key={index}>
                <td>
                  {source.replace('@anywhere', say('anyState'))} → {target}{' '}
                  <span class="dim">{text}</span>
                </td>
                <td>
                  {(taken[index] ?? 0) > 0
                    ? `${say('covered')} ×${taken[index]}`
                    : say('uncovered')}
                </td>
                <td>{counts.value.has(index) ? `×${counts.value.get(index)}` : ''}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
