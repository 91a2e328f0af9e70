import type { AnyActorRef } from 'xstate';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import type { Journal } from './journal.ts';
import type { RunServices } from './ports/parts.ts';
import { leaseLost } from './store/store.rules.ts';
import type { Lease } from './store/store.types.ts';

/** One handle of a run, and what its actor's ports work with. */
export interface Driver {
  readonly runId: string;
  /** The agent's actor. What belongs to it is found by it, never by the run's id. */
  readonly actor: AnyActorRef;
  readonly services: RunServices;
}

interface DriversOptions {
  /** Who drives, for people. */
  readonly owner: string;
  /** Gives the services of an actor that a host started itself, or refuses it. */
  readonly servicesOfForeign: () => RunServices;
}

/**
 * The runs that one agent drives: one handle each. What a handle was given stays with its actor, so
 * that an actor whose handle is closed or has lost its lease can never work with what a later handle of the same run was given.
 */
export class Drivers {
  readonly #driving = new Map<string, Driver>();
  readonly #takingUp = new Set<string>();
  readonly #services = new WeakMap<AnyActorRef, RunServices>();
  readonly #options: DriversOptions;

  constructor(options: DriversOptions) {
    this.#options = options;
  }

  /** What an agent's actor works with. */
  servicesOf(actor: AnyActorRef): RunServices {
    const known = this.#services.get(actor);
    if (known !== undefined) return known;
    const services = this.#options.servicesOfForeign();
    this.#services.set(actor, services);
    return services;
  }

  /** Begins to drive; gives back how to leave, which never touches another handle. */
  begin(driver: Driver): () => void {
    const { runId, actor, services } = driver;
    this.#services.set(actor, services);
    this.#driving.set(runId, driver);
    return () => {
      if (this.#driving.get(runId) === driver) this.#driving.delete(runId);
    };
  }

  /** @throws AgentHubError `run_driven` for a run that is driven here, or is just being taken up. */
  requireFree(runId: string): void {
    if (this.#driving.has(runId) || this.#takingUp.has(runId)) throw this.#driven(runId);
  }

  /**
   * Takes a stored run up, alone. The store says whether its lease may be had; when it gives it, a
   * handle of ours whose lease had lapsed drives no more, before anything else happens.
   * @throws AgentHubError `run_driven`, and whatever `work` throws.
   */
  async takeUp<Value>(
    runId: string,
    work: (onLease: (lease: Lease) => void) => Promise<Value>,
  ): Promise<Value> {
    const journal = this.#driving.get(runId)?.services.journal;
    if (this.#takingUp.has(runId) || journal === null || journal?.isStarting)
      throw this.#driven(runId);
    this.#takingUp.add(runId);
    try {
      return await work((lease) => lose(this.#driving.get(runId)?.services.journal, lease));
    } finally {
      this.#takingUp.delete(runId);
    }
  }

  #driven(runId: string): AgentHubError {
    return new AgentHubError(
      'run_driven',
      `This agent drives run ${runId} already, or is just taking it up. Use the handle it gave.`,
      { runId, owner: this.#options.owner },
    );
  }
}

function lose(journal: Journal | null | undefined, lease: Lease): void {
  journal?.lose(leaseLost(lease));
}
