import type { TodoItem } from '../../../machines/vocabulary/todos.ts';
import { say, shown } from './state.ts';

/** How the run came to rest, if it did. */
export function ResultCard() {
  const state = shown.value;
  if (state === null) return null;
  const { answer, suspension, error } = state;
  if (answer !== null)
    return (
      <section class="panel result" aria-label={say('answer')}>
        <h2>{say('answer')}</h2>
        <p class="prose">{answer}</p>
      </section>
    );
  if (error !== null)
    return (
      <section class="panel result text-failed" aria-label={say('runFailed')}>
        <h2>{say('runFailed')}</h2>
        <p class="prose">
          {error.code}: {error.message}
        </p>
      </section>
    );
  if (suspension === null) return null;
  return (
    <section class="panel result" aria-label={say('runSuspended')}>
      <h2>{say('runSuspended')}</h2>
      <p class="prose">
        {say(suspension.reason)} <span class="dim">{suspension.reason}</span>
        {suspension.message !== '' && `: ${suspension.message}`}
      </p>
    </section>
  );
}

/** One line that opens to the list. Claimed and verified are told apart by sign and word. */
export function TodoLine() {
  const todos = shown.value?.todos ?? [];
  if (todos.length === 0) return null;
  const done = todos.filter(({ status }) => status === 'completed').length;
  const current = todos.find(({ status }) => status !== 'completed');
  return (
    <details class="panel todos">
      <summary>
        <strong>{say('todo')}</strong> {say('ofCount', { done, all: todos.length })}:{' '}
        {current?.content ?? say('allDone')}
      </summary>
      <ol>
        {todos.map((todo, index) => (
          <li key={index} class={`todo-${wordOf(todo)}`}>
            <span aria-hidden="true">{SIGNS[wordOf(todo)]}</span> {todo.content}{' '}
            <span class="dim">
              {say(wordOf(todo))}
              {todo.evidence.length > 0 && ` · ${todo.evidence.join(', ')}`}
            </span>
          </li>
        ))}
      </ol>
    </details>
  );
}

const SIGNS = { pending: '○', in_progress: '▷', claimed: '✓', verified: '✔✔' } as const;

function wordOf({ status, verified }: TodoItem): keyof typeof SIGNS {
  if (status !== 'completed') return status;
  return verified ? 'verified' : 'claimed';
}
