WITH pool AS MATERIALIZED (
  SELECT reldatabase, reltablespace, relfilenode, relforknumber,
    max(relblocknumber) + 1 AS blocks, count(*) AS buffers,
    count(*) FILTER (WHERE usagecount = 0) AS usage0,
    count(*) FILTER (WHERE usagecount = 1) AS usage1,
    count(*) FILTER (WHERE usagecount = 2) AS usage2,
    count(*) FILTER (WHERE usagecount = 3) AS usage3,
    count(*) FILTER (WHERE usagecount = 4) AS usage4,
    count(*) FILTER (WHERE usagecount = 5) AS usage5
  FROM pg_buffercache GROUP BY 1, 2, 3, 4),
relations AS MATERIALIZED (
  SELECT format('%I.%I', n.nspname, c.relname) AS relation, c.relpages, p.*,
    pg_stat_get_blocks_fetched(c.oid) - pg_stat_get_blocks_hit(c.oid) AS reads
  FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_database d ON d.datname = current_database()
  LEFT JOIN pool p ON p.relfilenode = pg_relation_filenode(c.oid)
    AND p.relforknumber = 0
    AND p.reltablespace = coalesce(nullif(c.reltablespace, 0), d.dattablespace)
    AND p.reldatabase = CASE WHEN c.relisshared THEN 0 ELSE d.oid END
  WHERE c.relkind IN ('r', 'i', 't', 'm', 'S') AND c.relpersistence <> 't')
SELECT relation, greatest(relpages, blocks) AS size_blocks,
  coalesce(buffers, 0) AS buffers,
  coalesce(usage0, 0) AS usage0, coalesce(usage1, 0) AS usage1,
  coalesce(usage2, 0) AS usage2, coalesce(usage3, 0) AS usage3,
  coalesce(usage4, 0) AS usage4, coalesce(usage5, 0) AS usage5,
  reads, current_setting('block_size') AS block_bytes
FROM relations WHERE buffers > 0 OR reads > 0
UNION ALL
SELECT CASE WHEN p.relfilenode IS NULL THEN '(unused)' ELSE '(elsewhere)' END,
  NULL, sum(p.buffers), sum(p.usage0), sum(p.usage1), sum(p.usage2),
  sum(p.usage3), sum(p.usage4), sum(p.usage5),
  CASE WHEN p.relfilenode IS NULL THEN 0 ELSE greatest(0,
    (SELECT sum(blks_read) FROM pg_stat_database) -
    (SELECT sum(reads) FROM relations)) END,
  current_setting('block_size')
FROM pool p
WHERE NOT EXISTS (SELECT FROM relations r
  WHERE (r.reldatabase, r.reltablespace, r.relfilenode, r.relforknumber) =
    (p.reldatabase, p.reltablespace, p.relfilenode, p.relforknumber))
GROUP BY p.relfilenode IS NULL;
