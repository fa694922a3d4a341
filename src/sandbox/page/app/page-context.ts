import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { Listed } from '../lists';
import type { PageSetup, PageState } from '../page-state';
import type { Language, Texts } from './texts';

/** What every part of the page needs. */
export interface Page {
  readonly texts: Texts;
  readonly language: Language;
  /** Where the language's text is in a pair of texts. */
  readonly place: 0 | 1;
  readonly state: PageState;
  readonly setup: PageSetup;
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

/** Came with the page, and proves that a call is the page's. */
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

/** Makes a call; the token that came with the page goes along. */
export async function callSandbox(method: string, path: string, body?: object): Promise<unknown> {
  const answer = await fetch(path, {
    method,
    headers: {
      'x-sandbox-page': token,
      'content-type': 'application/json',
      'accept-language': document.documentElement.lang,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const content = await answer.json();
  if (!answer.ok || answer.headers.has('x-sandbox-refused')) throw new Error(content.message);
  return content;
}

/** What the sandbox answers to `GET /sandbox/page/<what>`, asked for again after each change. `null`: it has none. */
export function useData<Data>(what: string, revision: number): Data | null | undefined {
  const [got, setGot] = useState<{ what: string; data: Data | null }>();
  useEffect(() => {
    let isCurrent = true;
    callSandbox('GET', `/sandbox/page/${what}`)
      .then((data) => data as Data)
      .catch(() => null)
      .then((data) => {
        if (isCurrent) setGot({ what, data });
      });
    return () => {
      isCurrent = false;
    };
  }, [what, revision]);
  return got?.what === what ? got.data : undefined;
}

/** A list, as it was last known until the sandbox has answered. */
export function useList<Item>(what: string, revision: number): Listed<Item> | null | undefined {
  const list = useData<Listed<Item>>(what, revision);
  const [last, setLast] = useState(list);
  if (list && list !== last) setLast(list);
  return list ?? last;
}
