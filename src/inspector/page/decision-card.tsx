import { computed, signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { exactJson, exactLine } from '../../../machines/vocabulary/printable.ts';
import type { QuestionCard } from '../api.types.ts';
import { decide, pictureOf } from './actions.ts';
import { getPicture } from './api.ts';
import { moment } from './format.ts';
import {
  isLive,
  locale,
  notice,
  openQuestions,
  say,
  selectedRun,
  selectedSeq,
  shown,
} from './state.ts';

/** Milliseconds that questions stand still before an answer counts: longer than a double click. */
const STILL = 600;

/** What is asked now, as one text. */
const asked = computed(() =>
  [selectedRun.value, ...openQuestions.value.map(({ callId, digest }) => callId + digest)].join(
    ' ',
  ),
);
/** What was asked when the questions last stood still. */
const stoodStill = signal('');
const standsStill = computed(() => stoodStill.value === asked.value);

/** What a person has to decide. Focus goes to its heading, never to a button. */
export function DecisionCard() {
  const state = shown.value;
  const questions = state?.questions ?? [];
  const heading = useRef<HTMLHeadingElement>(null);
  const now = asked.value;
  useEffect(() => {
    // A question that moves under the pointer must not take the click that was meant for another.
    stoodStill.value = '';
    const timer = setTimeout(() => {
      stoodStill.value = now;
    }, STILL);
    return () => clearTimeout(timer);
  }, [now]);
  useEffect(() => {
    if (openQuestions.value.length === 0 || !isLive.value) return;
    const { activeElement } = document;
    const isTyping = activeElement instanceof HTMLInputElement && activeElement.id !== '';
    if (!isTyping || activeElement.closest('.decision') !== null) heading.current?.focus();
  }, [now]);
  return (
    <section class={questions.length > 0 ? 'panel decision' : 'hidden'} aria-labelledby="decision">
      <h2 id="decision" ref={heading} tabIndex={-1}>
        {say('decision')}{' '}
        <span class="pill pill-waiting">{say('left', { count: left(questions) })}</span>
      </h2>
      {!isLive.value && <p class="note">{say('readOnly', { seq: selectedSeq.value ?? 0 })}</p>}
      {questions.map((question) => (
        <QuestionItem key={question.callId + question.digest} question={question} />
      ))}
    </section>
  );
}

const left = (questions: readonly QuestionCard[]) =>
  questions.filter(({ answered }) => answered === null).length;

function QuestionItem({ question }: { question: QuestionCard }) {
  const { callId, tool, input, reasons, considered, facts, images, deadline, answered } = question;
  const reason = useSignal('');
  const isSending = useSignal(false);
  const answer = async (word: 'approve' | 'deny', { detail }: MouseEvent) => {
    // A key presses the button that has the focus, wherever that is by now.
    const isKey = detail === 0;
    if (isSending.value || (!isKey && !standsStill.value)) return;
    isSending.value = true;
    await decide(question, word, reason.value);
    isSending.value = false;
  };
  const ruleOf = (code: string) =>
    considered.find((one) => one.matched && one.reason?.code === code)?.rule;
  const field = `reason-${callId}`;
  return (
    <article class="question" aria-label={`${tool} ${callId}`}>
      <h3>
        {exactLine(tool)} <span class="dim">{callId}</span>
      </h3>
      <pre tabIndex={0} aria-label={say('input')}>
        {exactJson(input).join('\n')}
      </pre>
      {(images.input || images.output) && isLive.value && (
        <div class="pictures">
          {images.input && <Thumbnail callId={callId} which="input" />}
          {images.output && <Thumbnail callId={callId} which="output" />}
        </div>
      )}
      <p class="because">{say('because')}</p>
      <ul class="reasons">
        {reasons.map(({ code, zh, en, source }, index) => (
          <li key={index}>
            {exactLine(locale.value === 'zh' ? zh : en)}{' '}
            <span class="dim">
              {say('rule')} {exactLine(ruleOf(code) ?? source)} · {code}
            </span>
          </li>
        ))}
      </ul>
      <details>
        <summary>{say('facts')}</summary>
        <pre tabIndex={0} aria-label={say('facts')}>
          {exactJson(facts).join('\n')}
        </pre>
      </details>
      <details>
        <summary>{say('allRules')}</summary>
        <ul class="rules">
          {considered.map(({ rule, matched, lifted, action, reason: why }, index) => (
            <li key={index}>
              <code>{exactLine(rule)}</code> ·{' '}
              {say(matched ? (lifted ? 'lifted' : 'matched') : 'notMatched')} · {action}
              {why !== null && ` · ${exactLine(locale.value === 'zh' ? why.zh : why.en)}`}
            </li>
          ))}
        </ul>
      </details>
      {question.earlierApprovalVoid && <p class="note">{say('earlierVoid')}</p>}
      {deadline !== null && <p class="note">{say('until', { time: moment(deadline) })}</p>}
      {answered !== null ? (
        <p class="note">{say('answeredWaits', { answer: say(answered) })}</p>
      ) : (
        isLive.value && (
          <>
            <label for={field}>{say('reason')}</label>
            <input
              id={field}
              maxLength={2000}
              value={reason.value}
              onInput={({ currentTarget }) => {
                reason.value = currentTarget.value;
              }}
            />
            <div class="answers">
              <button
                type="button"
                class="approve"
                aria-disabled={isSending.value || !standsStill.value}
                onClick={(event) => answer('approve', event)}
              >
                {say('approve')}
              </button>
              <button
                type="button"
                class="deny"
                aria-disabled={isSending.value || !standsStill.value}
                onClick={(event) => answer('deny', event)}
              >
                {say('deny')}
              </button>
            </div>
          </>
        )
      )}
    </article>
  );
}

function Thumbnail({ callId, which }: { callId: string; which: 'input' | 'output' }) {
  const picture = useSignal<Awaited<ReturnType<typeof getPicture>> | null>(null);
  useEffect(() => {
    getPicture(pictureOf(callId, which)).then((got) => {
      picture.value = got;
    });
    return () => {
      const { value } = picture;
      if (value !== null && typeof value === 'object') URL.revokeObjectURL(value.address);
    };
  }, [callId, which]);
  const shows = picture.value;
  const label = say(which === 'input' ? 'inputPicture' : 'outputPicture');
  return (
    <figure>
      {shows === null && <span class="dim">{say('loading')}</span>}
      {typeof shows === 'string' && <span class="note">{say(shows)}</span>}
      {shows !== null && typeof shows === 'object' && <img src={shows.address} alt={label} />}
      <figcaption>{label}</figcaption>
    </figure>
  );
}

/** What became of the last command, said politely to screen readers too. */
export function Notice() {
  return (
    <div role="status" class={notice.value === '' ? 'hidden' : 'panel notice'}>
      {notice.value}
    </div>
  );
}
