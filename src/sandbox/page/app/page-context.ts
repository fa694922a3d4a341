import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { PageState } from '../page-state';
import type { Language, Texts } from './texts';
import { english } from './texts-en';

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

export const PageContext = createContext<Page>({
  texts: english,
  language: 'en',
  state: {} as PageState,
  act: async () => undefined,
  tell: () => {},
});

export function usePage(): Page {
  return useContext(PageContext);
}
