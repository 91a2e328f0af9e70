import './theme.css';
import './page.css';
import './chart.css';
import './cards.css';
import './timeline.css';
import './widths.css';
import { render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { start } from './actions.ts';
import { ChartPanel } from './chart-panel.tsx';
import { DecisionCard, Notice } from './decision-card.tsx';
import { DetailsPanel } from './details-panel.tsx';
import { GoOnCard } from './go-on-card.tsx';
import { listenToKeys } from './keys.ts';
import { ResultCard, TodoLine } from './outcome-cards.tsx';
import { RunsPanel } from './runs-panel.tsx';
import { helpIsOpen, run, runProblem, runs, say, selectedRun, wordsFor } from './state.ts';
import { TimelinePanel } from './timeline-panel.tsx';
import { ConnectionBar, TopBar } from './top-bar.tsx';

function Page() {
  return (
    <>
      <TopBar />
      <ConnectionBar />
      <main>
        <RunsPanel />
        <ChartPanel />
        <div class="side">
          <Notice />
          <DecisionCard />
          <ResultCard />
          <GoOnCard />
          <TodoLine />
          <RunProblem />
          <TimelinePanel />
          <DetailsPanel />
        </div>
      </main>
      <HelpDialog />
    </>
  );
}

/** Why there is no run to see, in words. */
function RunProblem() {
  const problem = runProblem.value;
  if (problem !== null)
    return (
      <p role="alert" class="panel note">
        {say('problem', { why: wordsFor(problem) })}
      </p>
    );
  if (run.value !== null || runs.value === null) return null;
  if (runs.value.length === 0)
    return (
      <p class="panel dim">
        {say('noRuns')} {say('startRun')}
      </p>
    );
  return <p class="panel dim">{say(selectedRun.value === null ? 'chooseRun' : 'loading')}</p>;
}

function HelpDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = helpIsOpen.value;
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  const close = () => {
    helpIsOpen.value = false;
  };
  return (
    <dialog ref={dialog} aria-labelledby="help-title" onClose={close}>
      <h2 id="help-title">{say('help')}</h2>
      <dl>
        {(
          [
            ['/', 'keySearch'],
            ['j', 'keyNext'],
            ['k', 'keyPrevious'],
            ['g', 'keyLive'],
            ['?', 'keyHelp'],
          ] as const
        ).map(([key, name]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{say(name)}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={close}>
        {say('close')}
      </button>
    </dialog>
  );
}

start();
listenToKeys();
const root = document.getElementById('app');
if (root !== null) render(<Page />, root);
