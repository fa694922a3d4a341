import { type OperationName, operations } from '../../service/operations';

/** What a request asks for. */
export type Route =
  | { readonly kind: 'operation'; readonly operation: OperationName; readonly parameter: string }
  | { readonly kind: 'qr-image'; readonly uuid: string }
  | { readonly kind: 'wrong-method'; readonly allow: string }
  | { readonly kind: 'unknown' };

/** The document's operations (section 4). */
const operationRoutes = Object.values(operations).map(({ name, method, urlTemplate }) => ({
  operation: name,
  method,
  path: new RegExp(`^${urlTemplate.replaceAll('.', '\\.').replace(/\{\w+\}/, '([^/]+)')}$`),
}));

/** A path of the sandbox's own; the document only says that the image has a URL. */
const qrImage = /^\/sandbox\/qr-codes\/([^/]+)\.png$/;

/** Where a transaction's QR code is served. */
export function qrImagePath(uuid: string): string {
  return `/sandbox/qr-codes/${encodeURIComponent(uuid)}.png`;
}

export function matchRoute(method: string, target: string): Route {
  const [path = ''] = target.split('?');
  for (const route of operationRoutes) {
    const match = route.path.exec(path);
    if (match === null) continue;
    const parameter = decode(match[1] ?? '');
    if (parameter === undefined) return { kind: 'unknown' };
    if (method !== route.method) return { kind: 'wrong-method', allow: route.method };
    return { kind: 'operation', operation: route.operation, parameter };
  }
  const uuid = decode(qrImage.exec(path)?.[1] ?? '');
  return method === 'GET' && uuid ? { kind: 'qr-image', uuid } : { kind: 'unknown' };
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    // A lone `%`, which is in no id of the sandbox.
    return undefined;
  }
}
