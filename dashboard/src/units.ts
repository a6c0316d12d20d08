// How many of one unit are in another.

export const MS_PER_S = 1000;
export const SECONDS_PER_MINUTE = 60;
export const MINUTES_PER_HOUR = 60;
export const PERCENT = 100;
