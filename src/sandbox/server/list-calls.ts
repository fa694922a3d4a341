import type { Credentials } from '../../service/credentials';
import { isDefaultPair } from '../default-credentials';
import { json, type ServiceAnswer, type ServiceRequest } from '../model/answers';
import { type ControlCall, controlTable } from './control-table';

/** Answers `GET /sandbox` with every control call, its body, and a `curl` to copy. `undefined` for other requests. */
export function listCalls(
  { method, path }: Pick<ServiceRequest, 'method' | 'path'>,
  url: string,
  credentials: Credentials,
): ServiceAnswer | undefined {
  if (method !== 'GET' || path.split('?')[0] !== '/sandbox') return undefined;
  const calls = controlTable.map((call) => ({
    method: call.method,
    path: call.path,
    description: call.description,
    body: call.example,
    curl: curl(call, url, credentials),
  }));
  return json(200, { calls });
}

function curl({ method, path, example }: ControlCall, url: string, credentials: Credentials): string {
  const body = example && ` -H 'content-type: application/json' -d '${JSON.stringify(example)}'`;
  const target = `${url}${path.replace(':id', 'ID')}`;
  return `curl -X ${method} ${target}${credentialHeaders(credentials)}${body ?? ''}`;
}

/** The default pair is no secret. Any other is named by its variables, and never written out. */
function credentialHeaders({ apiKey, apiToken }: Credentials): string {
  return isDefaultPair({ apiKey, apiToken })
    ? ` -H 'x-api-key: ${apiKey}' -H 'x-api-token: ${apiToken}'`
    : ' -H "x-api-key: $PAYMENTS_API_KEY" -H "x-api-token: $PAYMENTS_API_TOKEN"';
}
