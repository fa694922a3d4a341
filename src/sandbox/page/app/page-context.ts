import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { PageState } from '../page-state';
import type { Language, Texts } from './texts';

/** What every part of the page needs. */
export interface Page {
  readonly texts: Texts;
  readonly language: Language;
  readonly state: PageState;
  /** Makes a control call. A refusal is shown, and gives `undefined`. */
  act<Answer = object>(method: string, path: string, body?: object): Promise<Answer | undefined>;
  /** Tells of a failure; an empty text takes the last one away. */
  tell(message: string): void;
}

/** Every part is inside of its provider, so that the empty default is never seen. */
export const PageContext = createContext({} as Page);

export function usePage(): Page {
  return useContext(PageContext);
}

/** Came with the page, and proves that a call is the page's. */
const token = document.querySelector<HTMLMetaElement>('meta[name=sandbox-page]')?.content ?? '';

/** The state of the sandbox as it changes, and whether the sandbox answers. */
export function useSandbox(): { state: PageState | undefined; isConnected: boolean } {
  const [state, setState] = useState<PageState>();
  const [isConnected, setConnected] = useState(false);
  useEffect(() => {
    const events = new EventSource(`/sandbox/events?page=${token}`);
    events.onmessage = ({ data }) => {
      setState(JSON.parse(data));
      setConnected(true);
    };
    // The browser connects again by itself, unless the sandbox was started anew and refuses the old token.
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
