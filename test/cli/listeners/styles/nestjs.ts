import 'reflect-metadata';
import type { CanActivate, Type } from '@nestjs/common';
import { Body, Controller, HttpCode, Inject, Injectable, Module, Post, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request } from 'express';
import { confirmPayment, type PaymentsClient } from 'pix-automatic-sdk';
import { parseNotification } from 'pix-automatic-sdk/webhooks';
import { listen } from '../listen';
import { type Payload, rightHeader } from '../merchant';
import type { Listener } from '../verify-listener';
import { Books } from './books';

/** What the controller does with a body that is new. */
type Act = (body: Payload, books: Books, client: PaymentsClient) => unknown;

const isRight = ({ headers }: Request) => headers.authorization === rightHeader;

/** A guard, a controller and a provider. Decorators are called: the compiler of the tests has them turned off. */
function inNest(act: Act = (body, books) => books.add(body)): Pick<Listener, 'start'> {
  return {
    async start(client) {
      const books = new Books();

      class Seen {
        readonly keys = new Set<string>();
      }
      Injectable()(Seen);

      class PairGuard implements CanActivate {
        canActivate(context: { switchToHttp(): { getRequest(): Request } }) {
          return isRight(context.switchToHttp().getRequest());
        }
      }
      Injectable()(PairGuard);

      class WebhooksController {
        readonly #seen: Seen;
        constructor(seen: Seen) {
          this.#seen = seen;
        }
        async receive(body: Payload) {
          const key = books.keyOf(body);
          if (this.#seen.keys.has(key)) return { received: true };
          this.#seen.keys.add(key);
          try {
            await act(body, books, client);
          } catch (error) {
            this.#seen.keys.delete(key);
            throw error;
          }
          return { received: true };
        }
      }
      const { prototype } = WebhooksController;
      const method = Object.getOwnPropertyDescriptor(prototype, 'receive') ?? {};
      Inject(Seen)(WebhooksController, undefined, 0);
      Post()(prototype, 'receive', method);
      HttpCode(200)(prototype, 'receive', method);
      UseGuards(PairGuard)(prototype, 'receive', method);
      Body()(prototype, 'receive', 0);
      Controller('webhooks')(WebhooksController);

      class AppModule {}
      Module({ controllers: [WebhooksController], providers: [Seen, PairGuard] })(AppModule);
      const app = await NestFactory.create<NestExpressApplication>(AppModule as Type, { logger: false });
      app.useBodyParser('json', { limit: '1mb' });
      await app.init();
      return listen(app.getHttpAdapter().getInstance(), () => books.read());
    },
  };
}

/** Asks the service about a payment, and books nothing that it does not confirm. */
async function confirmed(body: Payload, books: Books, client: PaymentsClient): Promise<void> {
  const notification = parseNotification({ url: '/webhooks', body });
  if (notification.kind === 'payment' && !(await confirmPayment(client, notification)).confirmed)
    throw new Error('Not confirmed.');
  books.add(body);
}

export const rightInNest: readonly Listener[] = [
  { does: 'has a guard, a controller and a provider (NestJS)', ...inNest() },
  {
    does: 'asks the service in its provider, and answers 500 when it cannot (NestJS)',
    asksService: true,
    ...inNest(confirmed),
  },
];
