import { createContext } from 'preact';
import { useContext, useEffect, useMemo, useState } from 'preact/hooks';
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
  /** Makes a control call, and tells `done` of a success. Of a refusal, it returns the problem. */
  act<Answer = object>(
    method: string,
    path: string,
    body: object,
    done?: News,
  ): Promise<{ readonly answer?: Answer; readonly problem?: string }>;
  /** Shows what came of an action, over the page and not in it. */
  tell(news: News): void;
  /** When an action last succeeded, in milliseconds since 1970: its button may be gone, and the focus with it. */
  readonly actedAt: { current: number };
}

/** What came of an action. */
export interface News {
  readonly text: string;
  readonly isProblem?: boolean;
  readonly link?: { readonly href: string; readonly text: string } | undefined;
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

/** A list as it is shown. */
export interface SteadyList<Item> extends Listed<Item> {
  /** How many entries wait until the mouse has left the list. */
  readonly waiting: number;
}

/**
 * A list, as it was last known until the sandbox has answered. While the mouse is in it, its rows stay where they are, so
 * that what is clicked is what was aimed at.
 */
export function useList<Item>(what: string, revision: number, idOf: (item: Item) => string | number) {
  const list = useData<Listed<Item>>(what, revision);
  const [isHeld, setHeld] = useState(false);
  const [shown, setShown] = useState<SteadyList<Item> & { readonly what: string }>();
  useEffect(() => {
    if (!list) return;
    setShown((before) => {
      if (!isHeld || before?.what !== what) return { what, ...list, waiting: 0 };
      const now = new Map(list.items.map((item) => [idOf(item), item]));
      const items = before.items.map((item) => now.get(idOf(item)) ?? item);
      const ids = new Set(items.map(idOf));
      const waiting = list.items.filter((item) => !ids.has(idOf(item))).length;
      return { what, total: list.total, items, waiting };
    });
  }, [list, isHeld]);
  const hold = useMemo(
    () => ({ onPointerEnter: () => setHeld(true), onPointerLeave: () => setHeld(false) }),
    [],
  );
  return { shown, hold };
}

/** State that outlives its component and a reload, for as long as the browser's tab is open. */
export function useKept<Value>(name: string, initial: Value): readonly [Value, (value: Value) => void] {
  const key = `pix-sandbox ${name}`;
  const [value, setValue] = useState<Value>(() => keptValue(key, initial));
  const keep = (next: Value) => {
    setValue(next);
    sessionStorage.setItem(key, JSON.stringify(next));
  };
  return [value, keep];
}

/** What a tab has kept; the initial value, if that is none of the page's: the tab's storage is open to all of its origin. */
function keptValue<Value>(key: string, initial: Value): Value {
  try {
    const kept = JSON.parse(sessionStorage.getItem(key) ?? 'null');
    return isLike(initial, kept) ? (kept as Value) : initial;
  } catch {
    return initial;
  }
}

/** Whether a value has the types of another, field by field; more fields are texts, as a form keeps them. */
function isLike(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || one === null) return typeof one === typeof other;
  if (typeof other !== 'object' || other === null || Array.isArray(other)) return false;
  const fields = new Map(Object.entries(one));
  return (
    [...fields.keys()].every((name) => Object.hasOwn(other, name)) &&
    Object.entries(other).every(([name, value]) => isLike(fields.get(name) ?? '', value))
  );
}

/** How a list is narrowed, and which page of it is shown. */
export interface View {
  readonly values: Readonly<Record<string, string>>;
  readonly page: number;
}

/** The view of a list, with the query that asks for it. */
export function useView(name: string) {
  const [view, keep] = useKept<View>(`view ${name}`, { values: {}, page: 1 });
  const query = new URLSearchParams({ ...view.values, page: String(view.page) });
  const isFiltered = Object.values(view.values).some((value) => value !== '');
  return {
    values: view.values,
    page: view.page,
    what: `${name}?${query}`,
    isFiltered,
    narrow: (values: View['values']) => keep({ values, page: 1 }),
    turn: (page: number) => keep({ ...view, page }),
  };
}
