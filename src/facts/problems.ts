import type { ErrorData } from '../../machines/vocabulary/errors.ts';
import type { LocalizedText } from '../../machines/vocabulary/json.ts';
import type { FileOperation } from './verdict.ts';
import type { Walk } from './walk.ts';

/**
 * Why a path that is not private cannot be used for a file, or null. `shown` is the path as the
 * model wrote it: real paths stay out of what it is told.
 */
export function findFileProblem(
  walk: Walk,
  operation: FileOperation,
  shown: string,
): ErrorData | null {
  const { end } = walk;
  const path = JSON.stringify(shown);
  const problem = (code: string, { zh, en }: LocalizedText): ErrorData => ({
    code,
    message: `${path}: ${en}`,
    details: { zh: `${path}：${zh}` },
  });
  if (end.kind === 'failed') {
    const text = FAILURES[end.code] ?? {
      zh: `系统答复 ${end.code}`,
      en: `the system answered ${end.code}`,
    };
    if (end.code !== 'ENOENT') return problem('invalid_path', text);
    return operation === 'read'
      ? problem('not_found', NO_FILE)
      : problem('invalid_path', {
          zh: '它所在的目录不存在，也不会新建',
          en: 'its folder does not exist, and none is made',
        });
  }
  if (end.kind === 'missing') {
    if (operation === 'read') return problem('not_found', NO_FILE);
    return walk.endsInLink
      ? problem('invalid_path', {
          zh: '它是符号链接，指向的文件不存在',
          en: 'it is a symbolic link to a file that does not exist',
        })
      : null;
  }
  if (end.stats.isDirectory())
    return problem('not_a_file', { zh: '它是目录，不是文件', en: 'it is a folder, not a file' });
  if (!end.stats.isFile())
    return problem('not_a_file', { zh: '它不是普通文件', en: 'it is not a regular file' });
  if (end.stats.nlink > 1n) {
    return problem('hard_link', {
      zh: '这个文件还有别的名字（硬链接），所以不用',
      en: 'the file has further names (hard links), so it is refused',
    });
  }
  return null;
}

const NO_FILE: LocalizedText = { zh: '没有这个文件', en: 'there is no such file' };

const FAILURES: Readonly<Record<string, LocalizedText>> = {
  ENOTDIR: {
    zh: '路径中间有一段是文件而不是目录',
    en: 'a part of it that should be a folder is a file',
  },
  ELOOP: { zh: '符号链接太多', en: 'it has too many symbolic links' },
  EACCES: { zh: '系统不让这个程序查看那里', en: 'the system does not let this program look there' },
  ENAMETOOLONG: { zh: '路径太长', en: 'it is too long' },
};
