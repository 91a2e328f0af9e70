import { Buffer } from 'node:buffer';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import { noise, plain } from './pictures.ts';

/** What a service got, as it read it. */
export interface ServiceCall {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly image: Buffer;
  readonly imageType: string;
  readonly idempotencyKey: string | undefined;
}

/** How it answers; the rest of its life is a real service's. */
export type Answer = (call: ServiceCall, response: ServerResponse) => Promise<void> | void;

export interface TestService {
  readonly port: number;
  readonly origin: string;
  readonly calls: readonly ServiceCall[];
}

/** Scales as it is asked to, keeping what the picture carries, as careless services do. */
export const scaleAsAsked: Answer = async ({ image, params }, response) => {
  const { width, height, format } = params as { width: number; height: number; format: 'png' };
  const content = await sharp(image)
    .keepMetadata()
    .resize({ width, height, fit: 'fill' })
    .toFormat(format)
    .toBuffer();
  response.writeHead(200, { 'content-type': `image/${format}` }).end(content);
};

/** Runs a real image service on loopback while `work` runs. */
export async function withImageService(
  answer: Answer,
  work: (service: TestService) => Promise<void>,
): Promise<void> {
  const calls: ServiceCall[] = [];
  const server = createServer((request, response) => {
    readCall(request)
      .then((call) => {
        calls.push(call);
        return answer(call, response);
      })
      .catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    await work({ port, origin: `http://127.0.0.1:${port}`, calls });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

async function readCall(request: IncomingMessage): Promise<ServiceCall> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const form = await new Response(Buffer.concat(chunks), {
    headers: { 'content-type': request.headers['content-type'] ?? '' },
  }).formData();
  const image = form.get('image');
  if (!(image instanceof Blob)) throw new Error('the request has no image');
  return {
    method: request.method ?? '',
    params: JSON.parse(String(form.get('params'))),
    image: Buffer.from(await image.arrayBuffer()),
    imageType: image.type,
    idempotencyKey: request.headers['idempotency-key'] as string | undefined,
  };
}

const send =
  (status: number, headers: Record<string, string>, body: string | Uint8Array): Answer =>
  (_, response) => {
    response.writeHead(status, headers).end(body);
  };
const sendPicture =
  (width: number, height: number, format: 'png' | 'jpeg'): Answer =>
  async (_, response) => {
    response.end(await plain(width, height).toFormat(format).toBuffer());
  };
/** What a service may do wrong: how, what it does, the code and the message that come of it. */
export const WRONG_ANSWERS: readonly (readonly [string, Answer, string, RegExp])[] = [
  [
    'redirects elsewhere',
    send(302, { location: 'http://169.254.169.254/' }, ''),
    'service_failed',
    /redirected \(302\)/u,
  ],
  [
    'redirects to itself',
    send(307, { location: '/v2' }, ''),
    'service_failed',
    /redirected \(307\)/u,
  ],
  ['fails', send(500, {}, 'oops'), 'service_failed', /status 500/u],
  [
    'sends a page',
    send(200, { 'content-type': 'text/html' }, '<h1>Hi</h1>'),
    'service_bad_image',
    /not a JPEG/u,
  ],
  [
    'calls a page a picture',
    send(200, { 'content-type': 'image/png' }, '<svg/>'),
    'service_bad_image',
    /not a JPEG/u,
  ],
  ['sends nothing', send(200, {}, ''), 'service_bad_image', /empty/u],
  [
    'sends another format',
    sendPicture(20, 13, 'jpeg'),
    'service_bad_image',
    /it is jpeg, not png/u,
  ],
  [
    'sends another size',
    sendPicture(200, 130, 'png'),
    'service_bad_image',
    /it is 200×130, not 20×13/u,
  ],
  [
    'breaks off',
    (_, response) => {
      response.writeHead(200, { 'content-length': '99' }).write('x', () => response.destroy());
    },
    'service_failed',
    /cannot be reached or broke off/u,
  ],
  [
    'sends half a picture',
    async (_, response) => {
      const png = await noise(20, 13).png().toBuffer();
      response.end(png.subarray(0, png.length - 300));
    },
    'service_bad_image',
    /picture that was asked for/u,
  ],
];
