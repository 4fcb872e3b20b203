/** What a provider's failed answers mean and what to do about them, as a connector file declares it. */

/** What an answer means. Needs one of `statuses` and one of `codes`, where there are any. */
export interface ErrorAdvice {
  statuses?: readonly number[];
  codes?: readonly string[];
  /** Whole sentences: what it means and what to do. */
  says: string;
  /** Whether the same call may succeed a little later. */
  retry: boolean;
  /** Time zone at whose midnight the call may succeed again. */
  resets_daily_in?: string;
}
