import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Difference } from '../api.types.ts';
import { asText, duration, time } from './format.ts';
import { detail, say, selectedSeq, whatOf } from './state.ts';

/** Characters shown of one value; Copy always gives all. */
const SHOWN = 20_000;

/** A step in full: what went in, what came out, what it changed, and its record. */
export function DetailsPanel() {
  const seq = selectedSeq.value;
  if (seq === null) return null;
  const step = detail.value?.row.seq === seq ? detail.value : null;
  return (
    <section class="panel details" aria-label={say('details')}>
      <h2>{say('details')}</h2>
      {step === null ? (
        <p class="dim">{say('loading')}</p>
      ) : (
        <>
          <p>
            <strong>{whatOf(step.row)}</strong>{' '}
            <span class="dim">
              {step.row.state} · {time(step.row.at)}
              {step.row.ms !== null && ` · ${duration(step.row.ms)}`}
            </span>
          </p>
          <Value title={say('input')} value={step.input} isOpen />
          <Value title={say('output')} value={step.output} isOpen />
          <Fold title={`${say('differences')} (${step.differences.length})`} isOpen>
            <Differences all={step.differences} />
          </Fold>
          <Value title={say('rawEvent')} value={step.record} />
        </>
      )}
    </section>
  );
}

interface FoldProps {
  readonly title: string;
  readonly isOpen?: boolean;
  readonly children: ComponentChildren;
}

function Fold({ title, isOpen = false, children }: FoldProps) {
  return (
    <details open={isOpen}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}

function Value({ title, value, isOpen = false }: Omit<FoldProps, 'children'> & { value: unknown }) {
  if (value === null) return null;
  const text = asText(value);
  return (
    <Fold title={title} isOpen={isOpen}>
      <div class="value">
        <CopyButton text={text} />
        <pre tabIndex={0} aria-label={title}>
          {text.slice(0, SHOWN)}
          {text.length > SHOWN && say('cut', { count: text.length })}
        </pre>
      </div>
    </Fold>
  );
}

function Differences({ all }: { all: readonly Difference[] }) {
  if (all.length === 0) return <p class="dim">{say('noDifferences')}</p>;
  return (
    <ul class="differences">
      {all.map(({ path, before, after }) => (
        <li key={path}>
          <code>{path}</code>
          <del>{short(before)}</del> <span aria-hidden="true">→</span> <ins>{short(after)}</ins>
        </li>
      ))}
    </ul>
  );
}

function short(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

function CopyButton({ text }: { text: string }) {
  const isCopied = useSignal(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    isCopied.value = true;
  };
  return (
    <button type="button" class="copy" onClick={copy}>
      {say(isCopied.value ? 'copied' : 'copy')}
    </button>
  );
}
