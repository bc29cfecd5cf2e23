-- The five transactions as functions of the server: one round trip each. The same work as client statements is in
-- statements.rs.

-- A new order (clause 2.4). An item that is not there ends it with an error of our own class after everything before it was done,
-- which is the planned rollback. The answer holds what the specification's screen shows.
CREATE OR REPLACE FUNCTION {s}.new_order(
    _w int, _d smallint, _c int, _items bigint[], _from bigint[], _quantities bigint[],
    OUT o int, OUT entered timestamptz, OUT last text, OUT credit text, OUT discount numeric, OUT w_tax numeric,
    OUT d_tax numeric, OUT total numeric, OUT names text[], OUT stocks int[], OUT brands text[], OUT prices numeric[],
    OUT amounts numeric[]
) LANGUAGE plpgsql AS $$
DECLARE
    _n int := array_length(_items, 1);
    _item record;
    _stock record;
    _amount numeric;
BEGIN
    UPDATE {s}.district AS t SET next_order = t.next_order + 1 WHERE t.w = _w AND t.d = _d
        RETURNING t.next_order - 1, t.tax INTO o, d_tax;
    SELECT t.discount, t.last, t.credit, h.tax INTO discount, last, credit, w_tax
        FROM {s}.customer t, {s}.warehouse h WHERE t.w = _w AND t.d = _d AND t.c = _c AND h.w = _w;
    entered := now();
    INSERT INTO {s}.orders (entered, w, o, c, d, lines, all_local)
        VALUES (entered, _w, o, _c, _d, _n, CASE WHEN _w = ALL (_from) THEN 1 ELSE 0 END);
    INSERT INTO {s}.pending (w, o, d) VALUES (_w, o, _d);
    total := 0;
    FOR k IN 1 .. _n LOOP
        SELECT t.price, t.name, t.data INTO _item FROM {s}.item t WHERE t.i = _items[k];
        IF NOT FOUND THEN
            RAISE EXCEPTION 'no such item' USING ERRCODE = 'NR001';
        END IF;
        UPDATE {s}.stock AS t SET
            quantity = CASE WHEN t.quantity >= _quantities[k] + 10 THEN t.quantity - _quantities[k]
                            ELSE t.quantity - _quantities[k] + 91 END,
            ytd = t.ytd + _quantities[k], orders = t.orders + 1,
            remote = t.remote + CASE WHEN _from[k] = _w THEN 0 ELSE 1 END
            WHERE t.w = _from[k] AND t.i = _items[k]
            RETURNING t.quantity, t.data, CASE _d
                WHEN 1 THEN t.dist_01 WHEN 2 THEN t.dist_02 WHEN 3 THEN t.dist_03 WHEN 4 THEN t.dist_04
                WHEN 5 THEN t.dist_05 WHEN 6 THEN t.dist_06 WHEN 7 THEN t.dist_07 WHEN 8 THEN t.dist_08
                WHEN 9 THEN t.dist_09 ELSE t.dist_10 END AS dist INTO _stock;
        _amount := _quantities[k] * _item.price;
        INSERT INTO {s}.line (w, o, i, from_w, d, n, quantity, amount, dist)
            VALUES (_w, o, _items[k], _from[k], _d, k, _quantities[k], _amount, _stock.dist);
        total := total + _amount;
        names := array_append(names, _item.name::text);
        stocks := array_append(stocks, _stock.quantity::int);
        brands := array_append(brands, CASE WHEN _item.data LIKE '%ORIGINAL%' AND _stock.data LIKE '%ORIGINAL%'
                                            THEN 'B' ELSE 'G' END);
        prices := array_append(prices, _item.price);
        amounts := array_append(amounts, _amount);
    END LOOP;
    total := total * (1 - discount) * (1 + w_tax + d_tax);
END $$;

-- The customer in the middle of those with that last name, by first name; rounded up.
CREATE OR REPLACE FUNCTION {s}.customer_by_name(_w int, _d smallint, _last text) RETURNS int LANGUAGE plpgsql STABLE AS $$
DECLARE
    _found int[];
BEGIN
    _found := ARRAY(SELECT t.c FROM {s}.customer t WHERE t.w = _w AND t.d = _d AND t.last = _last ORDER BY t.first);
    RETURN _found[(cardinality(_found) + 1) / 2];
END $$;

-- A payment (clause 2.5): _c is 0 where the customer is looked for by name.
CREATE OR REPLACE FUNCTION {s}.pay(
    _w int, _d smallint, _c_w int, _c_d smallint, _c int, _last text, _amount numeric,
    OUT c int, OUT balance numeric, OUT credit text, OUT discount numeric, OUT first text, OUT last text, OUT data text,
    OUT warehouse text, OUT district text
) LANGUAGE plpgsql AS $$
DECLARE
    _h_name text;
    _d_name text;
BEGIN
    UPDATE {s}.warehouse AS t SET ytd = t.ytd + _amount WHERE t.w = _w
        RETURNING t.name, concat_ws(', ', t.street_1, t.street_2, t.city, t.state, t.zip) INTO _h_name, warehouse;
    UPDATE {s}.district AS t SET ytd = t.ytd + _amount WHERE t.w = _w AND t.d = _d
        RETURNING t.name, concat_ws(', ', t.street_1, t.street_2, t.city, t.state, t.zip) INTO _d_name, district;
    c := CASE WHEN _c = 0 THEN {s}.customer_by_name(_c_w, _c_d, _last) ELSE _c END;
    UPDATE {s}.customer AS t SET balance = t.balance - _amount, paid = t.paid + _amount, payments = t.payments + 1,
        data = CASE WHEN t.credit = 'BC'
                    THEN left(concat_ws(' ', t.c, _c_d, _c_w, _d, _w, _amount) || '|' || t.data, 500) ELSE t.data END
        WHERE t.w = _c_w AND t.d = _c_d AND t.c = pay.c
        RETURNING t.balance, t.credit, t.discount, t.first, t.last,
            CASE WHEN t.credit = 'BC' THEN left(t.data, 200) END
        INTO balance, credit, discount, first, last, data;
    INSERT INTO {s}.payment (paid, w, c_w, c, d, c_d, amount, data)
        VALUES (now(), _w, _c_w, pay.c, _d, _c_d, _amount, _h_name || '    ' || _d_name);
END $$;

-- The state of a customer's last order (clause 2.6).
CREATE OR REPLACE FUNCTION {s}.order_status(
    _w int, _d smallint, _c int, _last text,
    OUT c int, OUT balance numeric, OUT first text, OUT last text, OUT o int, OUT entered timestamptz, OUT carrier smallint,
    OUT items int[], OUT warehouses int[], OUT quantities smallint[], OUT amounts numeric[], OUT delivered timestamptz[]
) LANGUAGE plpgsql STABLE AS $$
BEGIN
    c := CASE WHEN _c = 0 THEN {s}.customer_by_name(_w, _d, _last) ELSE _c END;
    SELECT t.balance, t.first, t.last INTO balance, first, last FROM {s}.customer t
        WHERE t.w = _w AND t.d = _d AND t.c = order_status.c;
    SELECT t.o, t.entered, t.carrier INTO o, entered, carrier FROM {s}.orders t
        WHERE t.w = _w AND t.d = _d AND t.c = order_status.c ORDER BY t.o DESC LIMIT 1;
    SELECT array_agg(t.i), array_agg(t.from_w), array_agg(t.quantity), array_agg(t.amount), array_agg(t.delivered)
        INTO items, warehouses, quantities, amounts, delivered
        FROM {s}.line t WHERE t.w = _w AND t.d = _d AND t.o = order_status.o;
END $$;

-- The oldest pending order of each district goes out (clause 2.7), in one transaction; the number of those that did.
CREATE OR REPLACE FUNCTION {s}.deliver(_w int, _carrier smallint) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    _o int;
    _c int;
    _sum numeric;
    _out int := 0;
BEGIN
    FOR _d IN 1 .. 10 LOOP
        DELETE FROM {s}.pending t WHERE t.w = _w AND t.d = _d AND t.o = (
            SELECT p.o FROM {s}.pending p WHERE p.w = _w AND p.d = _d ORDER BY p.o LIMIT 1 FOR UPDATE)
            RETURNING t.o INTO _o;
        CONTINUE WHEN NOT FOUND;
        UPDATE {s}.orders AS t SET carrier = _carrier WHERE t.w = _w AND t.d = _d AND t.o = _o RETURNING t.c INTO _c;
        WITH gone AS (
            UPDATE {s}.line AS t SET delivered = now() WHERE t.w = _w AND t.d = _d AND t.o = _o RETURNING t.amount)
            SELECT sum(amount) INTO _sum FROM gone;
        UPDATE {s}.customer AS t SET balance = t.balance + _sum, deliveries = t.deliveries + 1
            WHERE t.w = _w AND t.d = _d AND t.c = _c;
        _out := _out + 1;
    END LOOP;
    RETURN _out;
END $$;

-- How many items of the last 20 orders of a district are low in stock (clause 2.8).
CREATE OR REPLACE FUNCTION {s}.stock_level(_w int, _d smallint, _below smallint) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
    _next int;
BEGIN
    SELECT t.next_order INTO _next FROM {s}.district t WHERE t.w = _w AND t.d = _d;
    RETURN (SELECT count(DISTINCT l.i) FROM {s}.line l JOIN {s}.stock t ON t.w = _w AND t.i = l.i
        WHERE l.w = _w AND l.d = _d AND l.o >= _next - 20 AND l.o < _next AND t.quantity < _below);
END $$;
