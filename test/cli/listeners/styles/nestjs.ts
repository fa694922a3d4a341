import 'reflect-metadata';
import type { ArgumentsHost, CanActivate, ExceptionFilter, PipeTransform, Type } from '@nestjs/common';
import {
  BadRequestException,
  Body,
  Catch,
  Controller,
  HttpCode,
  Inject,
  Injectable,
  Module,
  Post,
  Scope,
  UseGuards,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request, Response } from 'express';
import { confirmPayment, type PaymentsClient } from 'pix-automatic-sdk';
import { parseNotification } from 'pix-automatic-sdk/webhooks';
import { listen } from '../listen';
import { type Payload, rightHeader } from '../merchant';
import type { Listener } from '../verify-listener';
import { Books } from './books';

/** The parts of a Nest application that may be wrong. */
interface Parts {
  /** Default: 200, by `@HttpCode`. `null` leaves it to `@Post`. */
  readonly status?: null;
  /** Default: 1 MB. `null` leaves it to Nest. */
  readonly bodyLimit?: null;
  /** Of the provider that remembers the keys. */
  readonly scope?: Scope;
  readonly filter?: ExceptionFilter;
  readonly pipe?: PipeTransform;
  isLetIn?(request: Request): boolean;
  /** What the controller does with a body that is new. */
  act?(body: Payload, books: Books, client: PaymentsClient): unknown;
}

const isRight = ({ headers }: Request) => headers.authorization === rightHeader;

/** A guard, a controller and a provider. Decorators are called: the compiler of the tests has them turned off. */
function inNest(parts: Parts = {}): Pick<Listener, 'start'> {
  const { isLetIn = isRight, act = (body, books) => books.add(body) } = parts;
  return {
    async start(client) {
      const books = new Books();

      class Seen {
        readonly keys = new Set<string>();
      }
      Injectable({ scope: parts.scope ?? Scope.DEFAULT })(Seen);

      class PairGuard implements CanActivate {
        canActivate(context: { switchToHttp(): { getRequest(): Request } }) {
          return isLetIn(context.switchToHttp().getRequest());
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
      if (parts.status === undefined) HttpCode(200)(prototype, 'receive', method);
      UseGuards(PairGuard)(prototype, 'receive', method);
      Body()(prototype, 'receive', 0);
      Controller('webhooks')(WebhooksController);

      class AppModule {}
      Module({ controllers: [WebhooksController], providers: [Seen, PairGuard] })(AppModule);
      const app = await NestFactory.create<NestExpressApplication>(AppModule as Type, { logger: false });
      if (parts.bodyLimit === undefined) app.useBodyParser('json', { limit: '1mb' });
      if (parts.filter !== undefined) app.useGlobalFilters(parts.filter);
      if (parts.pipe !== undefined) app.useGlobalPipes(parts.pipe);
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

/** Answers 200 to whatever is thrown. */
class OkFilter implements ExceptionFilter {
  catch(error: Error & { status?: number }, host: ArgumentsHost) {
    const isOwn = error.status === undefined;
    host
      .switchToHttp()
      .getResponse<Response>()
      .status(isOwn ? 200 : (error.status ?? 500))
      .json({ received: false });
  }
}
Catch()(OkFilter);

/** The fields of a class whose `ValidationPipe` has `forbidNonWhitelisted`. */
const FIELDS =
  'saleToken referenceCode currency amount shopper date newStatus originalAmount reversedAmount amountRefunded bankDetails receipt status refund reason id uuid sale creation success message error_code'.split(
    ' ',
  );

export const wrongInNest: readonly Listener[] = [
  {
    does: 'answers 201, as `@Post` does by itself (NestJS)',
    ...inNest({ status: null }),
  },
  {
    does: 'remembers the keys in a provider that is made for each request (NestJS)',
    ...inNest({ scope: Scope.REQUEST }),
  },
  {
    does: 'keeps the body limit that Nest has (NestJS)',
    ...inNest({ bodyLimit: null }),
  },
  {
    does: 'forbids fields that its class does not have (NestJS)',
    ...inNest({
      pipe: {
        transform(body: object) {
          if (Object.keys(body).some((name) => !FIELDS.includes(name))) throw new BadRequestException();
          return body;
        },
      },
    }),
  },
  {
    does: 'answers 200 in its exception filter (NestJS)',
    asksService: true,
    ...inNest({ act: confirmed, filter: new OkFilter() }),
  },
  {
    does: 'guards payments alone (NestJS)',
    ...inNest({ isLetIn: (request) => request.body?.newStatus === undefined || isRight(request) }),
  },
  {
    does: 'emits an event, and lets a subscriber work later (NestJS)',
    ...inNest({ act: (body, books) => books.later(() => books.add(body)) }),
  },
];

export const rightInNest: readonly Listener[] = [
  { does: 'has a guard, a controller and a provider (NestJS)', ...inNest() },
  {
    does: 'asks the service in its provider, and answers 500 when it cannot (NestJS)',
    asksService: true,
    ...inNest({ act: confirmed }),
  },
];
