import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { DEFAULT_POLICIES, type Policies } from '../../machines/permission/policies.ts';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import type { Locale } from '../../machines/vocabulary/json.ts';
import type { Hook } from '../hooks/index.ts';
import { todoReminder, unfinishedTodos } from '../hooks/index.ts';
import type { Model } from '../model/index.ts';
import { openaiModel } from '../model/index.ts';
import { offlineModel } from '../offline/index.ts';
import type { Agent, AgentOptions } from '../run/agent.types.ts';
import { createAgent } from '../run/create-agent.ts';
import { createDefaultTools } from '../run/default-tools.ts';
import type { RunStore } from '../run/store/store.types.ts';
import type { Tool } from '../tools/tool.types.ts';
import { type Setting, type Settings, unflatten } from './config.ts';
import type { ConfigFile } from './config-schema.ts';
import { type Extension, loadExtension, withOwnHooks, withOwnTools } from './extension.ts';
import type { Io } from './io.ts';
import { say } from './texts.ts';
import { stricter } from './trust/stricter.ts';

/** The variable that goes to whatever endpoint a person chose. */
const ANY_KEY = 'AGENTHUB_API_KEY';

/** Providers' own variables. They go to that provider's own address and nowhere else. */
const KEY_VARIABLES: Readonly<Record<string, readonly string[]>> = {
  glm: ['ZHIPUAI_API_KEY', 'BIGMODEL_API_KEY'],
  deepseek: ['DEEPSEEK_API_KEY'],
  openai: ['OPENAI_API_KEY'],
};

/**
 * An agent as configured, made once its store is known. Rejects with what cannot be, and `auth` when
 * a key is needed and there is none: before anything is opened.
 */
export async function prepareAgent(
  settings: Settings,
  { env, cwd }: Pick<Io, 'env' | 'cwd'>,
  more: Pick<AgentOptions, 'inspect'> = {},
): Promise<(store: RunStore | null) => Agent> {
  const model = buildModel(settings, env);
  const extension = await loadExtension(settings);
  const options = { ...agentOptions(settings, { cwd, extension }), ...more, model };
  return (store) => createAgent(store === null ? options : { ...options, store });
}

/** The agent with the offline model: to look at what is configured. */
export async function buildAgentToShow(
  settings: Settings,
  { cwd }: Pick<Io, 'cwd'>,
): Promise<Agent> {
  const extension = await loadExtension(settings);
  return createAgent({ ...agentOptions(settings, { cwd, extension }), model: offlineModel() });
}

/** An id that can be typed: ten hexadecimal digits. */
export function newRunId(): string {
  return randomBytes(5).toString('hex');
}

interface Surroundings {
  readonly cwd: string;
  readonly extension: Extension | null;
}

function agentOptions(
  settings: Settings,
  { cwd, extension }: Surroundings,
): Omit<AgentOptions, 'model'> {
  const config = unflatten(settings);
  const { locale = 'en', protocol = 'native-calls', instructions = '' } = config;
  return {
    protocol,
    locale,
    instructions,
    tools: toolsOf(settings, { cwd, extension }),
    hooks: withOwnHooks(configuredHooks(settings, extension), extension),
    permissions: { policies: ownPolicies(settings, extension) },
    limits: (config.limits ?? {}) as NonNullable<AgentOptions['limits']>,
    createId: newRunId,
  };
}

/**
 * The policies over the shipped ones: the extension's, and the configuration's over those. Those of a
 * file that was only found never loosen what holds without it, whoever gave that.
 */
export function ownPolicies(settings: Settings, extension: Extension | null): Policies {
  const setting = settings.get('permissions.policies');
  const given = setting?.value ?? {};
  const brought = extension?.policies ?? {};
  if (setting === undefined || isPersonsWord(setting)) return { ...brought, ...given };
  const without: Policies = { ...DEFAULT_POLICIES, ...brought };
  const tightened = Object.entries(given).flatMap(([tool, policy]) => {
    const base = Object.hasOwn(without, tool) ? without[tool] : undefined;
    const both = policy === 'ask' || policy === 'deny' ? stricter(base, policy) : base;
    return both === undefined ? [] : [[tool, both] as const];
  });
  return { ...brought, ...Object.fromEntries(tightened) };
}

/** Where an extension leaves out what ships, a hook is there only if somebody asked for it. */
function configuredHooks(settings: Settings, extension: Extension | null): readonly Hook[] {
  const isOn = (name: 'todoReminder' | 'unfinishedTodos') => {
    const { value, source } = settings.get(`hooks.${name}`) ?? {};
    return value === true && (extension?.shipped !== false || source !== 'default');
  };
  return [
    ...(isOn('todoReminder') ? [todoReminder()] : []),
    ...(isOn('unfinishedTodos') ? [unfinishedTodos()] : []),
  ];
}

/** The tools of the agent: those that ship, as configured, and the extension's. */
export function toolsOf(settings: Settings, { cwd, extension }: Surroundings): readonly Tool[] {
  return withOwnTools(shippedTools(unflatten(settings), cwd), extension);
}

function shippedTools(config: ConfigFile, cwd: string): readonly Tool[] {
  const { knowledge = '', files, imageService, allowedServices = [] } = config;
  return createDefaultTools({
    workingFolder: cwd,
    allowedFolders: (files?.allowed ?? []).map((folder) => resolve(cwd, folder)),
    privateFolders: (files?.private ?? []).map((folder) => resolve(cwd, folder)),
    knowledgeFolder: resolve(cwd, knowledge),
    allowedServices,
    ...(imageService && { imageService: imageService as { url: string } }),
  });
}

function buildModel(settings: Settings, env: Io['env']): Model {
  const { model = {}, locale = 'en' } = unflatten(settings);
  const { provider = 'offline', name, baseURL, timeout, maxRetries, stream } = model;
  const isChosen = settings.get('model.provider')?.source !== 'default';
  // Half a configuration must not quietly end at the offline rules.
  if (!isChosen && (name !== undefined || baseURL !== undefined)) {
    const path = name === undefined ? 'model.baseURL' : 'model.name';
    throw new AgentHubError('invalid_config', say(locale, 'noProvider', { path }));
  }
  if (provider === 'offline') return offlineModel();
  checkDirection(settings, locale);
  if (name === undefined)
    throw new AgentHubError('invalid_config', say(locale, 'noName', { provider }));
  const apiKey = apiKeyOf(model, env)?.value;
  if (apiKey === undefined && baseURL === undefined && provider !== 'ollama') {
    const variables = [ANY_KEY, ...(KEY_VARIABLES[provider] ?? [])].join(say(locale, 'or'));
    throw new AgentHubError('auth', say(locale, 'noKey', { provider, variables }));
  }
  return openaiModel({
    model: name,
    preset: provider,
    ...(baseURL !== undefined && { baseURL }),
    ...(apiKey !== undefined && { apiKey }),
    ...(timeout !== undefined && { timeout }),
    ...(maxRetries !== undefined && { maxRetries }),
    ...(stream !== undefined && { stream }),
  });
}

/**
 * What a person writes, and their key, go where they said and nowhere else. The settings of a file
 * that was only found are held back long before; this holds whatever becomes of that.
 * @throws AgentHubError `invalid_config` naming the setting and its file.
 */
function checkDirection(settings: Settings, locale: Locale): void {
  for (const path of ['model.provider', 'model.baseURL', 'model.name']) {
    const setting = settings.get(path);
    if (setting === undefined || isPersonsWord(setting)) continue;
    const values = { path, file: setting.from };
    throw new AgentHubError('invalid_config', say(locale, 'foundDirection', values));
  }
}

/** Whether a person gave a value: by a variable, a flag, or a file that they named or trusted. */
function isPersonsWord({ source, isTrusted }: Setting): boolean {
  return source === 'environment' || source === 'flag' || (source === 'file' && isTrusted === true);
}

/** The variable whose key would be sent, or null. */
export function apiKeyOf(model: ConfigFile['model'], env: Io['env']) {
  const { provider = 'offline', baseURL } = model ?? {};
  if (provider === 'offline') return null;
  const own = baseURL === undefined ? (KEY_VARIABLES[provider] ?? []) : [];
  const variable = [ANY_KEY, ...own].find((candidate) => env[candidate]);
  return variable === undefined ? null : { variable, value: env[variable] ?? '' };
}
