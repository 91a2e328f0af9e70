import { resolve } from 'node:path';
import { createFileGuard } from '../facts/file-guard.ts';
import { createFolderFiles } from '../facts/folder-files.ts';
import { createServiceGuard } from '../facts/services.ts';
import { createEcho } from '../tools/echo/echo.ts';
import { createImageScaling } from '../tools/image-scaling/image-scaling.ts';
import { createKnowledgeSearch } from '../tools/knowledge-search/knowledge-search.ts';
import { createTodoWrite } from '../tools/todo-write/todo-write.ts';
import type { Tool } from '../tools/tool.types.ts';

/** Where the shipped tools may work. */
export interface DefaultToolsOptions {
  /** The folder that relative paths of pictures start from. It must exist. */
  readonly workingFolder: string;
  /** Folders whose pictures may be read and written without asking; the working folder by default. */
  readonly allowedFolders?: readonly string[];
  /** Folders that stay closed to every tool, beside `private` in the knowledge folder. */
  readonly privateFolders?: readonly string[];
  /** The folder with the Markdown files that may be searched. */
  readonly knowledgeFolder: string;
  /**
   * Milliseconds one search may take; 60,000 by default. What a search that takes longer has read
   * is kept, so that the next goes on from there.
   */
  readonly knowledgeTimeout?: number;
  /** Scales pictures through a service instead of in this process. */
  readonly imageService?: {
    readonly url: string;
    /** Milliseconds; 30,000 by default. */
    readonly timeout?: number;
    /** Bytes of an answer; 64 MiB by default. */
    readonly maxBytes?: number;
  };
  /** Exact origins of services that may be used without asking; none by default. */
  readonly allowedServices?: readonly string[];
}

/**
 * The four tools that come with AgentHub, joined to the guards of files and services. Folders are
 * resolved here, once. Throws `invalid_area` or `invalid_origin` for a configuration that cannot be,
 * and `invalid_tool` for a timeout that is none.
 */
export function createDefaultTools(options: DefaultToolsOptions): readonly Tool[] {
  const files = createFileGuard({
    workingFolder: options.workingFolder,
    allowed: options.allowedFolders ?? [options.workingFolder],
    private: [resolve(options.knowledgeFolder, 'private'), ...(options.privateFolders ?? [])],
  });
  const services = createServiceGuard({ origins: options.allowedServices ?? [] });
  const { imageService, knowledgeTimeout } = options;
  return [
    createEcho(),
    createKnowledgeSearch({
      openFiles: () =>
        createFolderFiles({ root: options.knowledgeFolder, isPrivate: files.isPrivate }),
      ...(knowledgeTimeout === undefined ? {} : { timeout: knowledgeTimeout }),
    }),
    createImageScaling({
      files,
      ...(imageService === undefined ? {} : { service: { ...imageService, services } }),
    }),
    createTodoWrite(),
  ];
}
