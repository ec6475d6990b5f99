// ui/labels.js - places for the labels of points without overlaps. Pure geometry, in pixels.
//
// Every label has rings of candidate places. In a few sweeps over the points each takes the cheapest
// place given all others. Covering something is expensive, as is a leader line that passes another
// point or crosses another leader; distance is cheap. The result is deterministic.

/** @typedef {import("../types.js").Box} Box */
/** @typedef {{x: number, y: number}} Spot */

const DISTANCES = [8, 16, 26, 38, 52, 70];
// Degrees, 0 right and 270 above.
const ANGLES = [0, 180, 270, 90, 315, 225, 45, 135, 337, 203, 23, 157, 292, 248, 68, 112]; // in the order tried
const SWEEPS = 4;
const TRIED = 40; // the cheapest places of each label that are tried
const POINT = 5; // half the side of the square that a marker occupies
const LEADER_FROM = 15; // a label further from its point than this gets a leader line

/** The area that two boxes share. @param {Box} a @param {Box} b */
export function overlap(a, b) {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return width > 0 && height > 0 ? width * height : 0;
}

/** @param {Spot} p @param {Spot} a @param {Spot} b */
function distanceToSegment(p, a, b) {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const t = Math.max(
    0,
    Math.min(1, ((p.x - a.x) * dx + (p.y - a.y) * dy) / (dx * dx + dy * dy || 1)),
  );
  return Math.hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

/** @param {Spot} a @param {Spot} b @param {Spot} c @param {Spot} d */
function segmentsCross(a, b, c, d) {
  const side = (/** @type {Spot} */ p, /** @type {Spot} */ q, /** @type {Spot} */ r) =>
    Math.sign((q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x));
  return side(a, b, c) !== side(a, b, d) && side(c, d, a) !== side(c, d, b);
}

/**
 * Whether a segment passes over a box, tested every few pixels.
 * @param {Spot} a
 * @param {Spot} b
 * @param {Box} box
 */
function passesOver(a, b, box) {
  const pieces = Math.ceil(Math.hypot(b.x - a.x, b.y - a.y) / 4) + 1;
  return Array.from({ length: pieces }, (_, k) => k / (pieces - 1 || 1)).some(
    (t) =>
      overlap(
        { x: a.x + t * (b.x - a.x) - 1, y: a.y + t * (b.y - a.y) - 1, width: 2, height: 2 },
        box,
      ) > 0,
  );
}

/**
 * Where a leader from a point ends at its label; null when the label is near enough to need none.
 * @param {Spot} point
 * @param {Box} box
 */
export function leaderEnd(point, box) {
  const end = {
    x: Math.max(box.x, Math.min(point.x, box.x + box.width)),
    y: Math.max(box.y + 2, Math.min(point.y, box.y + box.height - 2)),
  };
  return Math.hypot(end.x - point.x, end.y - point.y) < LEADER_FROM ? null : end;
}

/**
 * Candidate places around a point, nearest ring first.
 * @param {Box} point center, and size of the label
 * @returns {(Box & {distance: number})[]}
 */
function candidates(point) {
  return DISTANCES.flatMap((distance) =>
    ANGLES.map((angle) => {
      const [dx, dy] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)];
      return {
        x: point.x + dx * (distance + point.width / 2) - point.width / 2,
        y: point.y + dy * (distance + point.height / 2) - point.height / 2,
        width: point.width,
        height: point.height,
        distance,
      };
    }),
  );
}

/**
 * One box per point, in the order given.
 * @param {Box[]} points center of a point, and width and height of its label
 * @param {Box[]} obstacles what labels must not cover: pieces of curves
 * @param {Box} frame where labels must stay
 * @returns {Box[]}
 */
export function placeLabels(points, obstacles, frame) {
  const fixed = [
    ...obstacles,
    ...points.map((p) => ({ x: p.x - POINT, y: p.y - POINT, width: 2 * POINT, height: 2 * POINT })),
  ];
  /** @type {(Box | null)[]} */
  const placed = points.map(() => null);

  // what a place costs by itself: distance, leaving the frame, covering curves and markers
  const own = (/** @type {Box & {distance: number}} */ box) =>
    fixed.reduce(
      (sum, other) => sum + 4 * overlap(box, other),
      box.distance + 8 * (box.width * box.height - overlap(box, frame)),
    );
  const places = points.map((point) =>
    candidates(point)
      .map((box) => ({ box, price: own(box) }))
      .sort((a, b) => a.price - b.price)
      .slice(0, TRIED),
  );

  // what it costs beside the other labels as they stand
  function beside(/** @type {number} */ i, /** @type {Box} */ box) {
    let sum = 0;
    const end = leaderEnd(points[i], box);
    points.forEach((point, j) => {
      if (j === i) return;
      if (end && distanceToSegment(point, points[i], end) < 2 * POINT) sum += 60;
      const other = placed[j];
      if (!other) return;
      sum += 8 * overlap({ ...box, x: box.x - 3, width: box.width + 6 }, other);
      const otherEnd = leaderEnd(point, other);
      if (end && passesOver(points[i], end, other)) sum += 120;
      if (otherEnd && passesOver(point, otherEnd, box)) sum += 120;
      if (end && otherEnd && segmentsCross(points[i], end, point, otherEnd)) sum += 120;
    });
    return sum;
  }

  for (let sweep = 0; sweep < SWEEPS; ++sweep) {
    points.forEach((_, i) => {
      let least = Infinity;
      for (const { box, price } of places[i]) {
        const total = price + beside(i, box);
        if (total < least) {
          least = total;
          placed[i] = { x: box.x, y: box.y, width: box.width, height: box.height };
        }
      }
    });
  }
  return /** @type {Box[]} */ (placed);
}
