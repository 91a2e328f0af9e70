import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import { todoReminder, unfinishedTodos } from '../hooks/index.ts';
import type { Model } from '../model/index.ts';
import { offlineModel, openaiModel } from '../model/index.ts';
import type { Agent, AgentOptions } from '../run/agent.types.ts';
import { createAgent } from '../run/create-agent.ts';
import { createDefaultTools } from '../run/default-tools.ts';
import type { Tool } from '../tools/tool.types.ts';
import { type ConfigFile, KEY_VARIABLES, type Settings, unflatten } from './config.ts';
import type { Io } from './io.ts';

/** An agent as configured. */
export function buildAgent(settings: Settings, { env, cwd }: Pick<Io, 'env' | 'cwd'>): Agent {
  const config = unflatten(settings);
  const { locale = 'en', protocol = 'native-calls', instructions = '' } = config;
  return createAgent({
    model: buildModel(config, env),
    protocol,
    locale,
    instructions,
    tools: buildTools(config, cwd),
    hooks: [
      ...(config.hooks?.todoReminder ? [todoReminder()] : []),
      ...(config.hooks?.unfinishedTodos ? [unfinishedTodos()] : []),
    ],
    permissions: config.permissions as NonNullable<AgentOptions['permissions']>,
    limits: (config.limits ?? {}) as NonNullable<AgentOptions['limits']>,
  });
}

/** The tools as configured. */
export function buildTools(config: ConfigFile, cwd: string): readonly Tool[] {
  const { knowledge = '', files, imageService, allowedServices = [] } = config;
  if (!existsSync(knowledge))
    throw new AgentHubError('invalid_config', `knowledge: there is no folder ${knowledge}.`);
  return createDefaultTools({
    workingFolder: cwd,
    allowedFolders: (files?.allowed ?? []).map((folder) => resolve(cwd, folder)),
    privateFolders: (files?.private ?? []).map((folder) => resolve(cwd, folder)),
    knowledgeFolder: resolve(cwd, knowledge),
    allowedServices,
    ...(imageService && { imageService: imageService as { url: string } }),
  });
}

function buildModel({ model = {} }: ConfigFile, env: Io['env']): Model {
  const { provider = 'offline', name, baseURL, timeout, maxRetries, stream } = model;
  if (provider === 'offline') return offlineModel();
  if (name === undefined)
    throw new AgentHubError(
      'invalid_config',
      `model.name: say which model of ${provider} to use, by --model or AGENTHUB_MODEL.`,
    );
  const apiKey = keyVariable(provider, env)?.value;
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

/** The variable that holds the key, if one does. */
export function keyVariable(provider: string, env: Io['env']) {
  const name = (KEY_VARIABLES[provider] ?? []).find((variable) => env[variable]);
  return name === undefined ? null : { name, value: env[name] ?? '' };
}
