import { basicAuthorization } from '../../webhooks/authorization';
import type { Send, SendOptions } from './delivery';
import { postNotification } from './post-notification';

/** Sends notifications over HTTP as sections 5 and 6.1 say. */
export function httpSend({ credentials, timeoutMs }: SendOptions): Send {
  const authorization = basicAuthorization(credentials);
  return (notification) => postNotification({ ...notification, authorization, timeoutMs });
}
