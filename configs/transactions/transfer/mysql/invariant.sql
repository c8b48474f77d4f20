SELECT sum(balance < 0) + (sum(balance) <> 1200) FROM account
