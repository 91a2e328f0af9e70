import { useSignal } from '@preact/signals';
import type { RunState } from '../api.types.ts';
import { goOn } from './actions.ts';
import { hasEnded, isLive, run, say } from './state.ts';
import type { TextName } from './texts.ts';

type Limit = NonNullable<NonNullable<RunState['suspension']>['limit']>;

/** What the limits that can be raised are called here; time is asked for in seconds. */
const LIMITS: Readonly<Partial<Record<Limit['name'], { name: TextName; unit: number }>>> = {
  turns: { name: 'turns', unit: 1 },
  toolCalls: { name: 'toolCalls', unit: 1 },
  tokens: { name: 'tokensLimit', unit: 1 },
  time: { name: 'seconds', unit: 1_000 },
  repairs: { name: 'repairs', unit: 1 },
  stopBlocks: { name: 'stopBlocks', unit: 1 },
};

/** How a run goes on that does not by itself: nobody drives it, or it is suspended. */
export function GoOnCard() {
  const now = run.value;
  if (now === null || !isLive.value || hasEnded(now)) return null;
  const { summary, goesOn, suspension } = now;
  if (summary.drivenBy !== null && goesOn === null) return null;
  return (
    <section class="panel go-on" aria-label={say('goOn')}>
      <p class="note">
        {goesOn === null && say('nobodyDrives', { run: summary.runId })}
        {goesOn === 'here' && say('nobodyDrivesHere')}
        {goesOn === 'driver' && say('driverWaits')}
      </p>
      {goesOn !== null && (
        <GoOnForm key={`${summary.runId} ${now.seq}`} limit={suspension?.limit ?? null} />
      )}
    </section>
  );
}

function GoOnForm({ limit }: { limit: Limit | null }) {
  const known = limit === null ? undefined : LIMITS[limit.name];
  const unit = known?.unit ?? 1;
  const value = Math.ceil((limit?.value ?? 0) / unit);
  const raised = useSignal(String(Math.max(1, value * 2)));
  const isSending = useSignal(false);
  const send = async () => {
    isSending.value = true;
    await goOn(limit === null ? {} : { [limit.name]: Number(raised.value) * unit });
    isSending.value = false;
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {limit !== null && known !== undefined && (
        <>
          <label for="raised">{say('raiseTo', { limit: say(known.name), value })}</label>
          <input
            id="raised"
            type="number"
            required
            min={value + 1}
            step={1}
            value={raised.value}
            onInput={({ currentTarget }) => {
              raised.value = currentTarget.value;
            }}
          />
        </>
      )}
      <button type="submit" class="primary" disabled={isSending.value}>
        {say('goOn')}
      </button>
    </form>
  );
}
