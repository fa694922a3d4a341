import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { PageState } from '../page-state';
import type { Language, Texts } from './texts';

/** What every part of the page needs. */
export interface Page {
  readonly texts: Texts;
  readonly language: Language;
  readonly state: PageState;
  /** Makes a control call. Shows a failure, and then returns `undefined`. */
  act<Answer = object>(method: string, path: string, body?: object): Promise<Answer | undefined>;
  /** Shows a failure; an empty text removes the last one. */
  tell(message: string): void;
}

/** Every part is inside its provider, so the empty default is never used. */
export const PageContext = createContext({} as Page);

export function usePage(): Page {
  return useContext(PageContext);
}

/** Came with the page. With the cookie, it proves that a call is the page's. */
const token = document.querySelector<HTMLMetaElement>('meta[name=sandbox-page]')?.content ?? '';

/** The current state of the sandbox, and whether the sandbox answers. */
export function useSandbox(): { state: PageState | undefined; isConnected: boolean } {
  const [state, setState] = useState<PageState>();
  const [isConnected, setConnected] = useState(false);
  useEffect(() => {
    const events = new EventSource(`/sandbox/events?page=${token}`);
    events.onmessage = ({ data }) => {
      setState(JSON.parse(data));
      setConnected(true);
    };
    // The browser reconnects by itself, unless a restarted sandbox refuses the old token: then reload for a new one.
    events.onerror = () => {
      setConnected(false);
      if (events.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), 2_000);
    };
    return () => events.close();
  }, []);
  return { state, isConnected };
}

/** Makes a control call; the cookie and the token that came with the page go along. */
export async function callSandbox(method: string, path: string, body?: object): Promise<unknown> {
  const answer = await fetch(`/sandbox${path}`, {
    method,
    headers: { 'x-sandbox-page': token, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const content = await answer.json();
  if (!answer.ok) throw new Error(content.message);
  return content;
}
