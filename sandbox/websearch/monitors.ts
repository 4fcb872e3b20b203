/** Monitors: schedules of websets. The sandbox keeps them and runs none, so they have no last and no next run. */
import type { Clock } from '../../src/core/clock.ts';
import { cutPage, type Page } from './pages.ts';
import { Refusal } from './refusal.ts';
import { stableId } from './rendering.ts';
import type { MonitorRequest, UpdateMonitorRequest } from './requests.ts';

type JsonObject = Record<string, unknown>;

interface Monitor {
  id: string;
  request: MonitorRequest;
  status: 'enabled' | 'disabled';
  createdAt: string;
  updatedAt: string;
}

/** The monitors of one sandbox. */
export class Monitors {
  readonly #monitors: Monitor[] = [];
  readonly #clock: Clock;
  #created = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param request of a webset that exists */
  create(request: MonitorRequest): JsonObject {
    const now = this.#now();
    const id = `monitor_${stableId('monitor', ++this.#created)}`;
    const monitor: Monitor = { id, request, status: 'enabled', createdAt: now, updatedAt: now };
    this.#monitors.unshift(monitor);
    return render(monitor);
  }

  /** Newest first. */
  list(query: { cursor?: string | undefined; limit: number; websetId?: string | undefined }): Page {
    const { websetId } = query;
    return cutPage(websetId === undefined ? this.#monitors.map(render) : this.ofWebset(websetId), query);
  }

  /** The monitors of one webset, newest first. */
  ofWebset(websetId: string): JsonObject[] {
    return this.#monitors.filter(({ request }) => request.websetId === websetId).map(render);
  }

  get(id: string): JsonObject {
    return render(this.#find(id));
  }

  /** Only what is given changes. */
  update(id: string, { status, cadence, behavior, metadata }: UpdateMonitorRequest): JsonObject {
    const monitor = this.#find(id);
    monitor.status = status ?? monitor.status;
    monitor.request = {
      ...monitor.request,
      ...(cadence !== undefined && { cadence }),
      ...(behavior !== undefined && { behavior }),
      ...(metadata !== undefined && { metadata }),
    };
    monitor.updatedAt = this.#now();
    return render(monitor);
  }

  /** Returns the monitor as it was. */
  remove(id: string): JsonObject {
    const monitor = this.#find(id);
    this.#monitors.splice(this.#monitors.indexOf(monitor), 1);
    return render(monitor);
  }

  /** A deleted webset takes its monitors with it. */
  removeOf(websetId: string): void {
    for (const { id } of this.ofWebset(websetId)) this.remove(String(id));
  }

  #find(id: string): Monitor {
    const monitor = this.#monitors.find((entry) => entry.id === id);
    if (monitor === undefined) throw new Refusal(404, 'NOT_FOUND', 'There is no monitor with this id.');
    return monitor;
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}

function render({ id, request, status, createdAt, updatedAt }: Monitor): JsonObject {
  return {
    id,
    object: 'monitor',
    status,
    websetId: request.websetId,
    cadence: request.cadence,
    behavior: request.behavior,
    lastRun: null,
    nextRunAt: null,
    metadata: request.metadata ?? {},
    createdAt,
    updatedAt,
  };
}
