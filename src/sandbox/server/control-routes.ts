import type { Credentials } from '../../service/credentials';
import type { Control } from '../controls/control';
import { controls } from '../controls/controls';
import type { SandboxControls } from '../core';
import { isDefaultPair } from '../credentials';
import { json, type ServiceAnswer, type ServiceRequest } from '../model/answers';
import { SandboxError } from '../model/records';

const routes = controls.map((call) => ({
  ...call,
  pattern: new RegExp(`^${call.path.replace(':id', '([^/]+)')}$`),
}));

/** The answer to a control call that has neither the credentials nor the page's token. */
export const needsCredentials = json(401, {
  message: 'Control calls need `x-api-key` and `x-api-token` too.',
});

/** Answers a control call; `undefined` for any other request. */
export async function control(
  sandbox: SandboxControls,
  request: ServiceRequest,
  isAuthorized: boolean,
  show: (answer: object) => object,
): Promise<ServiceAnswer | undefined> {
  const [path = ''] = request.path.split('?');
  for (const { method, pattern, run } of routes) {
    const match = pattern.exec(path);
    if (match === null || method !== request.method) continue;
    // Credentials are needed here too: any web page can post to this machine, but it cannot know them.
    if (!isAuthorized) return needsCredentials;
    try {
      return json(200, show(await run(sandbox, match[1] ?? '', request.body || '{}')));
    } catch (error) {
      return refusal(error, isPortuguese(request));
    }
  }
  return undefined;
}

/** Whether the caller asks for Portuguese. */
export function isPortuguese({ headers }: ServiceRequest): boolean {
  return String(headers['accept-language'] ?? '').startsWith('pt');
}

const statuses = { unknown: 404, 'not-allowed': 409, invalid: 400 } as const;

function refusal(error: unknown, inPortuguese: boolean): ServiceAnswer {
  if (error instanceof SandboxError) {
    return json(statuses[error.code], { message: inPortuguese ? error.portuguese : error.message });
  }
  return json(500, {
    message: `The sandbox itself failed (${error}). Report it with the call and its body: no call should cause this.`,
  });
}

/** Answers `GET /sandbox` with every control call, its body, and a `curl` to copy. `undefined` for other requests. */
export function listCalls(
  { method, path }: Pick<ServiceRequest, 'method' | 'path'>,
  url: string,
  credentials: Credentials,
): ServiceAnswer | undefined {
  if (method !== 'GET' || path.split('?')[0] !== '/sandbox') return undefined;
  const calls = controls.map((call) => ({
    method: call.method,
    path: call.path,
    name: call.name,
    description: call.about[0],
    body: call.example,
    curl: curl(call, url, credentials),
  }));
  return json(200, { calls });
}

function curl({ method, path, example }: Control, url: string, credentials: Credentials): string {
  const body = example && ` -H 'content-type: application/json' -d '${JSON.stringify(example)}'`;
  const target = `${url}${path.replace(':id', 'ID')}`;
  return `curl -X ${method} ${target}${credentialHeaders(credentials)}${body ?? ''}`;
}

/** The default pair is no secret. For any other, the command names the environment variables. */
function credentialHeaders({ apiKey, apiToken }: Credentials): string {
  return isDefaultPair({ apiKey, apiToken })
    ? ` -H 'x-api-key: ${apiKey}' -H 'x-api-token: ${apiToken}'`
    : ' -H "x-api-key: $PAYMENTS_API_KEY" -H "x-api-token: $PAYMENTS_API_TOKEN"';
}
