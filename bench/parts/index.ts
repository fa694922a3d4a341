import type { Part } from '../lib/part';
import { notification } from './notification';
import { size } from './size';

/** In the order in which they run. */
export const parts: Readonly<Record<string, { readonly measures: string; readonly run: Part }>> = {
  notification: { measures: 'verify, parse and validate one notification', run: notification },
  size: { measures: 'bytes of a bundle and of an installation', run: size },
};
